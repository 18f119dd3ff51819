import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { testDatabase } from '#tests/support/test-database.ts'
import { asChange, ChangeRefused, checkChange, outsideChange } from './change.ts'
import type { Db } from './tables.ts'
import { userNamed } from './users.fixture.ts'

const refuse = () => Promise.reject(new ChangeRefused('conflict', 409, 'Replaced'))
const countUsers = async (db: Db) => (await db.selectFrom('users').select('id').execute()).length

test('a change whose check fails as its transaction opens writes nothing', async (context) => {
  const { db } = await testDatabase(context)
  const insert = () =>
    db.transaction().execute((transaction) => transaction.insertInto('users').values(userNamed('ann')).execute())
  await assert.rejects(asChange(refuse, insert), ChangeRefused)
  assert.equal(await countUsers(db), 0)
  await insert()
  assert.equal(await countUsers(db), 1, 'outside a change nothing is checked')
})

test('the check runs inside the transaction that it opens', async (context) => {
  const { db } = await testDatabase(context)
  const check = async (transaction: Db) =>
    void (await transaction.insertInto('users').values(userNamed('ann')).execute())
  const fail = () => db.transaction().execute(() => Promise.reject(new Error('later')))
  await assert.rejects(asChange(check, fail), /later/)
  assert.equal(await countUsers(db), 0)
})

test('long work without a transaction can ask whether its check still passes', async (context) => {
  const { db } = await testDatabase(context)
  await checkChange(db)
  await assert.rejects(
    asChange(refuse, () => checkChange(db)),
    ChangeRefused,
  )
})

test('work that a change starts and does not wait for is not checked after the change has ended', async (context) => {
  const { db } = await testDatabase(context)
  let later: Promise<number> | undefined
  await asChange(refuse, () => {
    later = turn().then(() => db.transaction().execute(countUsers))
  })
  assert.equal(await later, 0)
})

test('work outside a change is not checked even while the change runs', async (context) => {
  const { db } = await testDatabase(context)
  const count = () => outsideChange(() => db.transaction().execute(countUsers))
  assert.equal(await asChange(refuse, count), 0)
})
