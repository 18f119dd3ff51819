import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lazily } from './lazily.ts'

test('what is wanted is made once for all, anew after a failure, and closed only if it was made', async () => {
  let attempts = 0
  const closed: number[] = []
  const thing = lazily(async () => {
    attempts++
    if (attempts === 1) throw new Error('The disk is full')
    return attempts
  })
  const close = async (made: number) => void closed.push(made)
  await thing.close(close)
  assert.deepEqual([attempts, closed], [0, []], 'nobody wanted it')
  await assert.rejects(thing.get(), /The disk is full/)
  await thing.close(close)
  assert.deepEqual(await Promise.all([thing.get(), thing.get()]), [2, 2])
  await thing.close(close)
  assert.deepEqual([attempts, closed], [2, [2]])
})
