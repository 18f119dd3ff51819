import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { mjpegAvi } from './testing/clips.ts'
import { openVideoFixture } from './testing/video-fixture.ts'

const { engine, make, at } = await openVideoFixture()
const rounds = 100
const concurrency = 4

/** Mulberry32, so that each run applies the same damage. */
function createRandom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** Changes, removes, repeats or fills a few ranges, most of them in the headers. */
function damage(original: Buffer, random: (below: number) => number) {
  let bytes = Buffer.from(original)
  for (let count = 1 + random(8); count > 0; count--) {
    const position = random(2) ? random(bytes.length) : Math.max(0, bytes.length - 1 - random(2_500))
    const length = Math.min(1 + random(40), bytes.length - position)
    const kind = random(6)
    if (kind < 3) bytes[position] = random(256)
    else if (kind === 3) bytes.fill(random(2) ? 0xff : 0, position, position + length)
    else if (kind === 4) bytes = Buffer.concat([bytes.subarray(0, position), bytes.subarray(position + length)])
    else bytes = Buffer.concat([bytes.subarray(0, position + length), bytes.subarray(position)])
  }
  return bytes
}

test('damaged videos are read or refused, and the engine keeps working', async () => {
  const random = createRandom(20_240_501)
  const originals = await Promise.all(
    [
      await make({ audioCodec: 'aac' }),
      await make({ index: 'first' }),
      await make({ ...mjpegAvi, audioCodec: 'pcm_s16le' }),
      await make({ videoCodec: 'libvpx-vp9' }),
      await make({ index: 'fragments' }),
    ].map((path) => readFile(path)),
  )
  const damaged = Array.from({ length: rounds }, (_, round) => damage(originals[round % originals.length]!, random))
  const outcomes = new Map<string, number>()

  async function work(worker: number) {
    for (let bytes = damaged.pop(); bytes; bytes = damaged.pop()) {
      const path = at(`damaged-${worker}.video`)
      await writeFile(path, bytes)
      const outcome = await engine.process({ path, posterPath: at(`damaged-${worker}.jpg`) }).then(
        () => 'read',
        (error) => error.code,
      )
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
  }

  await Promise.all(Array.from({ length: concurrency }, (_, worker) => work(worker)))
  const {
    read,
    'corrupt-video': corrupt,
    'no-video': silent,
    'video-too-large': large,
    ...others
  } = Object.fromEntries(outcomes) as Record<string, number>
  assert.deepEqual(others, {})
  assert.equal((read ?? 0) + (corrupt ?? 0) + (silent ?? 0) + (large ?? 0), rounds)
  assert.ok(read && corrupt, 'some of the damage is harmless and some is not')
  assert.equal((await engine.process({ path: await make(), posterPath: at('good.jpg') })).playable, 'as-is')
})
