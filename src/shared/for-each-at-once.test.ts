import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { forEachAtOnce } from './for-each-at-once.ts'

test('every item has its turn, never more than allowed at once', async () => {
  let running = 0
  let most = 0
  const seen: number[] = []
  await forEachAtOnce([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    most = Math.max(most, ++running)
    await setImmediate()
    seen.push(item)
    running--
  })
  assert.deepEqual(
    seen.toSorted((a, b) => a - b),
    [1, 2, 3, 4, 5, 6, 7],
  )
  assert.equal(most, 3)
})

test('after a fault nothing more is begun, and what is under way is waited for', async () => {
  const begun: number[] = []
  let hasEnded = false
  const work = forEachAtOnce([1, 2, 3, 4], 2, async (item) => {
    begun.push(item)
    if (item === 1) throw new Error('the first')
    await setImmediate()
    hasEnded = true
  })
  await assert.rejects(work, /the first/)
  assert.deepEqual(begun, [1, 2])
  assert.ok(hasEnded)
})

test('nothing to do is done at once', async () => {
  await forEachAtOnce([], 4, async () => assert.fail('nobody asked'))
})
