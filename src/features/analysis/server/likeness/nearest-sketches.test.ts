import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestSketches } from './nearest-sketches.ts'
import { makeSketch } from './sketch.ts'

const vectorOf = (random: () => number) => Float32Array.from({ length: 384 }, () => random() - 0.5)

test('the nearest of ten thousand sketches are found in order, though most are compared only in part', () => {
  let state = 7
  const random = () => {
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 2147483648
  }
  const wanted = vectorOf(random)
  const shares = [0.3, 0.4, 0.5, 0.6]
  const near = shares.map((share) => wanted.map((value) => value * (1 - share) + (random() - 0.5) * share))
  const far = Array.from({ length: 10 }, () => makeSketch(vectorOf(random)))
  const sketches = Array.from({ length: 10_000 }, (_, index) => {
    const planted = near[(index - 1000) / 2000]
    return planted ? makeSketch(planted) : far[index % far.length]!
  })
  const bits = new Int32Array(new Uint8Array(Buffer.concat(sketches)).buffer)
  const found = nearestSketches(bits, new Int32Array(makeSketch(wanted).buffer), shares.length)
  assert.deepEqual(
    found.map(({ slot }) => slot),
    [1000, 3000, 5000, 7000],
  )
})
