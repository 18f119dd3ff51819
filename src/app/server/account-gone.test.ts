import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { insertUser } from '#features/auth/server/store.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { exampleRequest } from '#tests/support/example-request.ts'
import { missingRecords } from '#tests/support/owned-records.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { isOnPostgres } from '#tests/support/postgres.ts'
import { withRegisteredRoutes } from '#tests/support/registered-routes.ts'
import { testApp } from '#tests/support/test-app.ts'

const endless = '/api/events'
const dayMs = 24 * 3600_000

test('a user whose account is deleted during a request does not get a server error', async (context) => {
  const { product, routes } = await withRegisteredRoutes(() => testApp(context))
  const { db } = product.services
  await product.register()
  await deleteAccountsThatAreSeen(db)
  const { paths } = (await product.app.inject({ url: '/api/openapi.json' })).json()
  const calls = routes.filter(
    ({ access, method, url }) => access === 'signed-in' && method !== 'HEAD' && url !== endless,
  )
  const file = await makeJpeg()
  for (const [index, call] of calls.entries()) {
    const user = product.visitor()
    user.cookies.set('albumen_session', await openDueSession(db, `person-${index}`))
    const operation = paths[call.url.replace(/:(\w+)/g, '{$1}')]?.[call.method.toLowerCase()]
    const request = exampleRequest(
      { ...call, operation },
      { idsAt: () => missingRecords.media, isWanted: () => false, file },
    )
    const { statusCode, body } = await user.send(request)
    assert.notEqual(statusCode, 500, `${call.name}: ${body}`)
  }
  assert.deepEqual(await db.selectFrom('users').select('username').where('username', 'like', 'person-%').execute(), [])
})

/** The guard writes to a session that is due to be extended; that statement also deletes the account here. */
async function deleteAccountsThatAreSeen(db: Db) {
  const change = 'DELETE FROM users WHERE id = old.user_id'
  const rule = isOnPostgres
    ? `CREATE RULE meanwhile AS ON UPDATE TO sessions DO ALSO ${change}`
    : `CREATE TRIGGER meanwhile AFTER UPDATE ON sessions BEGIN ${change}; END`
  await sql.raw(rule).execute(db)
}

async function openDueSession(db: Db, username: string) {
  const { id } = await insertUser(db, { username, email: `${username}@example.com`, passwordHash: 'none' })
  const now = Date.now()
  await db
    .insertInto('sessions')
    .values({ token_hash: hash('sha256', username), user_id: id, created_at: now, expires_at: now + 2 * dayMs })
    .execute()
  return username
}
