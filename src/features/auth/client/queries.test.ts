import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryClient } from '@tanstack/react-query'
import type { User } from '../contract.ts'
import { authQueries, changeUser } from './queries.ts'

test('an answer from before signing in does not sign out again', async () => {
  const queryClient = new QueryClient()
  const { queryKey } = authQueries.user()
  queryClient.setQueryData(queryKey, null)
  const nobody = Promise.withResolvers<null>()
  const asked = queryClient.fetchQuery({ queryKey, queryFn: () => nobody.promise })
  const ann = { id: 1, username: 'ann' } as User
  changeUser(queryClient, ann)
  nobody.resolve(null)
  await asked
  assert.equal(queryClient.getQueryData(queryKey), ann)
})
