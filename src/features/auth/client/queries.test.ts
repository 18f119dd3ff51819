import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryClient } from '@tanstack/react-query'
import { ApiError } from '#platform/client/call.ts'
import type { User } from '../contract.ts'
import { authQueries, changeUser, forgetWithUser } from './queries.ts'

const ann = { id: 1, username: 'ann' } as User

test('a response from before signing in does not sign the user out again', async () => {
  const queryClient = new QueryClient()
  const { queryKey } = authQueries.user()
  queryClient.setQueryData(queryKey, null)
  const signedOut = Promise.withResolvers<null>()
  const asked = queryClient.fetchQuery({ queryKey, queryFn: () => signedOut.promise })
  changeUser(queryClient, ann)
  signedOut.resolve(null)
  await asked
  assert.equal(queryClient.getQueryData(queryKey), ann)
})

test('only a 401 response signs the user out', async (context) => {
  const answer = (status: number) => {
    context.mock.method(globalThis, 'fetch', async () => Response.json({ message: 'No.' }, { status }))
    return new QueryClient().fetchQuery({ ...authQueries.user(), retry: false })
  }
  assert.equal(await answer(401), null)
  for (const status of [403, 500, 503]) await assert.rejects(answer(status), ApiError)
})

test('cached data is cleared when the user changes or signs out', async () => {
  const { queryKey } = authQueries.user()
  for (const next of [null, { ...ann, id: 2 }]) {
    const queryClient = new QueryClient()
    forgetWithUser(queryClient)
    const answer = (user: User | null) => queryClient.fetchQuery({ queryKey, queryFn: () => user })
    queryClient.setQueryData(['theirs'], 'asked for at once')
    await answer(ann)
    await answer({ ...ann, username: 'Ann' })
    assert.ok(queryClient.getQueryData(['theirs']), 'the same user with another name')
    await answer(next)
    assert.equal(queryClient.getQueryData(['theirs']), undefined)
    assert.deepEqual(queryClient.getQueryData(queryKey), next)
  }
})
