import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lazy } from './lazy.ts'

test('a lazy value is created once, again after a failure, and closed only if it was created', async () => {
  let attempts = 0
  const closed: number[] = []
  const value = lazy(async () => {
    attempts++
    if (attempts === 1) throw new Error('The disk is full')
    return attempts
  })
  const close = async (created: number) => void closed.push(created)
  await value.close(close)
  assert.deepEqual([attempts, closed], [0, []], 'the value was never used')
  await assert.rejects(value.get(), /The disk is full/)
  await value.close(close)
  assert.deepEqual(await Promise.all([value.get(), value.get()]), [2, 2])
  await value.close(close)
  assert.deepEqual([attempts, closed], [2, [2]])
})
