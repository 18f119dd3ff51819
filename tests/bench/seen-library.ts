import type { DatabaseSync } from 'node:sqlite'
import { makeSketch, sketchBytes } from '#features/analysis/server/likeness/sketch.ts'

const clusters = 100
const numbers = 1280

/** How a row of eight grey pixels mostly runs: sky, wall and water make the same few patterns again and again. */
const smoothRows = [0x00, 0xff, 0x0f, 0xf0, 0x3c]

/**
 * Gives the library of owner 1 what looking at its pictures would give it: hashes as unevenly spread as those of photographs,
 * one in fifty nearly that of its neighbour, and pictures that look alike by the thousand.
 */
export function seedLooks(connection: DatabaseSync, count: number) {
  const dice = createDice(7)
  const hash = connection.prepare('UPDATE media SET perceptual_hash = ? WHERE id = ?')
  const embedding = connection.prepare('INSERT INTO embeddings SELECT blob, ? FROM media WHERE id = ?')
  const sketch = connection.prepare(`INSERT INTO sketches (kind, media_id, owner_id, bits) VALUES ('picture', ?, 1, ?)`)
  const centres = Array.from({ length: clusters }, () => {
    const vector = Int8Array.from({ length: numbers }, () => (dice() % 180) - 90)
    return { vector, bits: makeSketch(vector) }
  })
  connection.exec('PRAGMA synchronous = OFF; BEGIN')
  let before = Buffer.alloc(8)
  for (let id = 1; id <= count; id++) {
    const isAgain = id % 50 === 0
    const look = isAgain ? flipped(before, 2, dice) : makeHash(dice)
    hash.run(look.toString('hex'), id)
    before = look
    const { vector, bits } = centres[(isAgain ? id - 1 : id) % clusters]!
    const seen = Uint8Array.from(vector, (value) => value + (dice() % 30))
    embedding.run(seen, id)
    sketch.run(id, flipped(Buffer.from(bits), sketchBytes / 4, dice))
  }
  connection.exec('COMMIT; ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)')
  connection.close()
}

function makeHash(dice: () => number) {
  return Buffer.from(Array.from({ length: 8 }, () => (dice() % 2 === 0 ? smoothRows[dice() % 5]! : dice() % 256)))
}

function flipped(bytes: Buffer, bits: number, dice: () => number) {
  const copy = Buffer.from(bytes)
  for (let done = 0; done < bits; done++) copy[dice() % copy.length]! ^= 1 << (dice() % 8)
  return copy
}

/** Numbers that look random and are the same in every run. */
function createDice(seed: number) {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 8
  }
}
