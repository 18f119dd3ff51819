import type { DatabaseSync } from 'node:sqlite'
import { makeSketch, sketchBytes } from '#features/analysis/server/likeness/sketch.ts'

const clusters = 100
const numbers = 1280
const meaningNumbers = 384

/** Frequent hashes of a row of eight gray pixels: sky, walls and water repeat the same few patterns. */
const smoothRows = [0x00, 0xff, 0x0f, 0xf0, 0x3c]

/**
 * Inserts analysis results for the library of owner 1: perceptual hashes distributed like those of photographs, one in fifty
 * nearly equal to its predecessor's, and clusters of similar pictures and of similar meanings.
 */
export function seedAnalysis(connection: DatabaseSync, count: number) {
  const random = createRandom(7)
  const hash = connection.prepare('UPDATE media SET perceptual_hash = ? WHERE id = ?')
  const embedding = connection.prepare('INSERT INTO embeddings SELECT blob, ? FROM media WHERE id = ?')
  const sketch = connection.prepare(`INSERT INTO sketches (kind, media_id, owner_id, bits) VALUES ('picture', ?, 1, ?)`)
  const centres = Array.from({ length: clusters }, () => {
    const vector = Int8Array.from({ length: numbers }, () => (random() % 180) - 90)
    return { vector, bits: makeSketch(vector) }
  })
  const meaning = connection.prepare('INSERT INTO meanings (media_id, words_hash, vector) VALUES (?, ?, ?)')
  const ofWords = connection.prepare(`INSERT INTO sketches (kind, media_id, owner_id, bits) VALUES ('words', ?, 1, ?)`)
  const topics = Array.from({ length: clusters }, () => {
    const vector = Int8Array.from({ length: meaningNumbers }, () => (random() % 180) - 90)
    return { vector, bits: makeSketch(vector) }
  })
  connection.exec('PRAGMA synchronous = OFF; BEGIN')
  let before = Buffer.alloc(8)
  for (let id = 1; id <= count; id++) {
    const isAgain = id % 50 === 0
    const look = isAgain ? flipped(before, 2, random) : makeHash(random)
    hash.run(look.toString('hex'), id)
    before = look
    const { vector, bits } = centres[(isAgain ? id - 1 : id) % clusters]!
    const seen = Uint8Array.from(vector, (value) => value + (random() % 30))
    embedding.run(seen, id)
    sketch.run(id, flipped(Buffer.from(bits), sketchBytes / 4, random))
    const topic = topics[id % clusters]!
    meaning.run(
      id,
      '',
      Uint8Array.from(topic.vector, (value) => value + (random() % 30)),
    )
    ofWords.run(id, flipped(Buffer.from(topic.bits), sketchBytes / 4, random))
  }
  connection.exec('COMMIT; ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)')
  connection.close()
}

function makeHash(random: () => number) {
  return Buffer.from(Array.from({ length: 8 }, () => (random() % 2 === 0 ? smoothRows[random() % 5]! : random() % 256)))
}

function flipped(bytes: Buffer, bits: number, random: () => number) {
  const copy = Buffer.from(bytes)
  for (let done = 0; done < bits; done++) copy[random() % copy.length]! ^= 1 << (random() % 8)
  return copy
}

/** Pseudo-random numbers, the same in every run. */
function createRandom(seed: number) {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 8
  }
}
