import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryClient } from './query-client.ts'

test('queries are fresh for a second, cached for five minutes and retried once; mutations are not retried', () => {
  const { queries, mutations } = queryClient.getDefaultOptions()
  assert.deepEqual([queries?.staleTime, queries?.gcTime, queries?.retry], [1000, 300_000, 1])
  assert.deepEqual(
    [queries?.refetchOnWindowFocus, queries?.refetchOnMount, queries?.refetchOnReconnect],
    [true, true, true],
  )
  assert.equal(mutations?.retry, false)
  assert.deepEqual([queries?.networkMode, mutations?.networkMode], ['always', 'always'])
})
