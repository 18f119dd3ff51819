import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurns } from './turns.ts'

test('at most the given number of works run at a time, and a failure makes room', async () => {
  const inTurn = createTurns(2)
  let running = 0
  let most = 0
  const order: number[] = []
  const work = (number: number) =>
    inTurn(async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
      order.push(number)
      if (number === 1) throw new Error('one fails')
    })
  const outcomes = await Promise.allSettled([0, 1, 2, 3, 4].map(work))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
  )
  assert.deepEqual([most, order], [2, [0, 1, 2, 3, 4]])
})
