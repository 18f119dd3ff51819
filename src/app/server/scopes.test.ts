import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { adminScope, signedInScope } from '#features/auth/server/guards.ts'
import { route } from '#platform/contract.ts'
import { handle } from '#platform/server/http/handle.ts'
import { testApp } from '#tests/support/test-app.ts'

test('a route outside every scope stops the start, and is named', async (context) => {
  const start = testApp(
    context,
    {},
    {
      prepare: (app) => {
        app.get('/api/forgotten', async () => 'open to everybody')
      },
    },
  )
  await assert.rejects(start, /Routes outside every scope: .*GET \/api\/forgotten/)
})

const who = { summary: 'Who asks', response: z.string() }
const member = route({ method: 'GET', path: '/api/member', ...who })
const chief = route({ method: 'GET', path: '/api/chief', ...who })

test('the scope decides who gets through: whoever is signed in, or administrators only', async (context) => {
  const { register, visitor, services } = await testApp(
    context,
    {},
    {
      prepare: (app, { db }) => {
        app.register(async (part) =>
          handle(signedInScope(part, { db, routes: [] }), member, (_input, { user }) => user.username),
        )
        app.register(async (part) =>
          handle(adminScope(part, { db, routes: [] }), chief, (_input, { user }) => user.username),
        )
      },
    },
  )
  const ann = await register('Ann')
  const ben = await register('Ben')
  const statuses = async (url: string) =>
    Promise.all([visitor(), ben, ann].map(async (user) => (await user.get(url)).statusCode))
  assert.deepEqual(await statuses('/api/member'), [401, 200, 200])
  assert.deepEqual(await statuses('/api/chief'), [401, 403, 200])
  assert.equal((await ben.get('/api/chief')).json().message, 'Only an administrator may do this.')
  await services.db.updateTable('users').set({ is_admin: 0 }).where('id', '=', ann.id).execute()
  assert.deepEqual(await statuses('/api/chief'), [401, 403, 403], 'the flag is read from the account each time')
})

test('the guard speaks before anything that is sent is looked at', async (context) => {
  const strict = route({ method: 'POST', path: '/api/strict', ...who, body: z.object({ name: z.string() }) })
  const { visitor } = await testApp(
    context,
    {},
    {
      prepare: (app, { db }) => {
        app.register(async (part) => handle(signedInScope(part, { db, routes: [] }), strict, () => 'done'))
      },
    },
  )
  assert.equal((await visitor().post('/api/strict', { name: 1 })).statusCode, 401)
})
