import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '#tests/support/test-app.ts'
import { countBits, makeSketch, sketchBits } from './sketch.ts'
import { createSketchIndex } from './sketch-index.ts'

/** A pseudo-random generator with a fixed seed. */
function createDice(seed: number) {
  let state = seed
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 2147483648
  }
}

const makeVector = (dice: () => number) => Float32Array.from({ length: 1280 }, () => dice() - 0.5)

const bitsApart = (a: Uint8Array, b: Uint8Array) => a.reduce((sum, byte, at) => sum + countBits(byte ^ b[at]!), 0)

test('the share of bits in which two sketches differ is the angle between their vectors', () => {
  const dice = createDice(1)
  for (const share of [0, 0.3, 0.7]) {
    const a = makeVector(dice)
    const noise = makeVector(dice)
    const b = a.map((value, at) => value * (1 - share) + noise[at]! * share)
    const dot = a.reduce((sum, value, at) => sum + value * b[at]!, 0)
    const angle = Math.acos(Math.min(1, dot / Math.hypot(...a) / Math.hypot(...b)))
    const estimated = (bitsApart(makeSketch(a), makeSketch(b)) / sketchBits) * Math.PI
    assert.ok(Math.abs(estimated - angle) < 0.15, `expected about ${angle}, received ${estimated}`)
  }
})

test('the sketch index finds the nearest items of a library, including new ones, and none of another library', async (context) => {
  const product = await testApp(context)
  const [ann, bob] = [await product.register(), await product.register()]
  const { db, slowReads } = product.services
  const index = createSketchIndex(slowReads)
  const dice = createDice(2)
  const put = async (ownerId: number, vector: Float32Array) => {
    const { id } = await (ownerId === ann.id ? ann : bob).addPicture()
    const bits = Buffer.from(makeSketch(vector))
    await db.insertInto('sketches').values({ kind: 'picture', media_id: id, owner_id: ownerId, bits }).execute()
    return id
  }
  const wanted = makeVector(dice)
  const near = wanted.map((value) => value + (dice() - 0.5) / 2)
  await put(ann.id, makeVector(dice))
  const nearId = await put(ann.id, near)
  await put(bob.id, wanted)
  const nearest = async (kind: 'picture' | 'words', count: number) =>
    (await index.findNearest(ann.id, kind, makeSketch(wanted), count)).map(({ id }) => id)
  assert.deepEqual(await nearest('picture', 1), [nearId])
  const exactId = await put(ann.id, wanted)
  assert.deepEqual(await nearest('picture', 2), [exactId, nearId])
  assert.deepEqual(await nearest('words', 2), [])
  const withoutRoom = createSketchIndex(slowReads, { maxBytes: 100 })
  const read = await withoutRoom.findNearest(ann.id, 'picture', makeSketch(wanted), 2)
  assert.deepEqual(
    read.map(({ id }) => id),
    [exactId, nearId],
    'a library that is larger than the cache is read for the search',
  )
})
