import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '#tests/support/test-database.ts'
import { prepareListQuery, prepareQuery } from './prepared.ts'
import type { Db } from './tables.ts'
import { userNamed } from './users.fixture.ts'

const names = Array.from({ length: 30 }, (_, index) => `person-${String(index).padStart(2, '0')}`)

const insertPeople = (db: Db) => db.insertInto('users').values(names.map(userNamed)).execute()

test('a prepared list query finds exactly the listed rows for every length, also in a transaction', async (context) => {
  const { db } = await testDatabase(context)
  await insertPeople(db)
  const listNamed = prepareListQuery((on, keys: string[]) =>
    on.selectFrom('users').select('username').where('username_key', 'in', keys).orderBy('username_key'),
  )
  const namesIn = async (on: Db, keys: string[]) => (await listNamed(on, keys)).map(({ username }) => username)
  // More lengths than the cache holds, and then the first ones again with other values.
  for (let length = 1; length <= names.length; length++) {
    assert.deepEqual(await namesIn(db, names.slice(0, length)), names.slice(0, length))
  }
  for (const length of [1, 2, 30]) assert.deepEqual(await namesIn(db, names.slice(-length)), names.slice(-length))
  await db.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('users').where('username_key', '=', names[0]!).execute()
    assert.deepEqual(await namesIn(transaction, names.slice(0, 2)), names.slice(1, 2))
  })
})

test('a prepared query whose parameters differ from the given values is refused', async (context) => {
  const { db } = await testDatabase(context)
  const isRefused = /Expected a query with the parameters ann, received ann,1/
  const findAdmin = prepareQuery((on, key: string) =>
    on.selectFrom('users').select('id').where('username_key', '=', key).where('is_admin', '=', 1),
  )
  await assert.rejects(findAdmin(db, 'ann'), isRefused)
  const listAdmins = prepareListQuery((on, keys: string[]) =>
    on.selectFrom('users').select('id').where('username_key', 'in', keys).where('is_admin', '=', 1),
  )
  await assert.rejects(listAdmins(db, ['ann']), isRefused)
})
