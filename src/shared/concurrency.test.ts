import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { forEachConcurrently, limitConcurrency } from './concurrency.ts'

test('limitConcurrency runs no more than the limit at once, in order, and a failure frees its slot', async () => {
  const run = limitConcurrency(2)
  const begun: number[] = []
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
  const running = ends.map((end, index) =>
    run(async () => {
      begun.push(index)
      await end.promise
      return index
    }),
  )
  const failed = assert.rejects(running[1]!, /broken/)
  await settle()
  assert.deepEqual(begun, [0, 1])
  ends[1]!.reject(new Error('broken'))
  await failed
  await settle()
  assert.deepEqual(begun, [0, 1, 2])
  for (const index of [0, 2, 3, 4]) ends[index]!.resolve()
  assert.deepEqual(await Promise.all([0, 2, 3, 4].map((index) => running[index])), [0, 2, 3, 4])
  assert.deepEqual(begun, [0, 1, 2, 3, 4])
})

const settle = () => setImmediate()

test('forEachConcurrently handles every item, never more than the limit at once', async () => {
  let running = 0
  let most = 0
  const seen: number[] = []
  await forEachConcurrently([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
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

test('forEachConcurrently starts no further item after a failure and waits for the running ones', async () => {
  const begun: number[] = []
  let hasEnded = false
  const work = forEachConcurrently([1, 2, 3, 4], 2, async (item) => {
    begun.push(item)
    if (item === 1) throw new Error('the first')
    await setImmediate()
    hasEnded = true
  })
  await assert.rejects(work, /the first/)
  assert.deepEqual(begun, [1, 2])
  assert.ok(hasEnded)
})

test('forEachConcurrently does nothing for an empty list', async () => {
  await forEachConcurrently([], 4, async () => assert.fail('work was called'))
})
