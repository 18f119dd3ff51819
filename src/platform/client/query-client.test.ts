import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryClient } from './query-client.ts'

test('answers are fresh for a second and kept for five minutes; reading is tried twice, writing once', () => {
  const { queries, mutations } = queryClient.getDefaultOptions()
  assert.deepEqual([queries?.staleTime, queries?.gcTime, queries?.retry], [1000, 300_000, 1])
  assert.deepEqual(
    [queries?.refetchOnWindowFocus, queries?.refetchOnMount, queries?.refetchOnReconnect],
    [true, true, true],
  )
  assert.equal(mutations?.retry, false)
  assert.deepEqual([queries?.networkMode, mutations?.networkMode], ['always', 'always'])
})
