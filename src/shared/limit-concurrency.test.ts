import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitConcurrency } from './limit-concurrency.ts'

test('no more than the limit runs at once, in order, and a failure frees its place', async () => {
  const inTurn = limitConcurrency(2)
  const begun: number[] = []
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
  const running = ends.map((end, index) =>
    inTurn(async () => {
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

const settle = () => new Promise((resolve) => setImmediate(resolve))
