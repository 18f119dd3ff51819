import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { isOnPostgres } from '#tests/support/postgres.ts'
import { testDatabase } from '#tests/support/test-database.ts'
import { isDatabaseAway } from './database-away.ts'
import { dialectOf, postgresDialect, sqliteDialect } from './dialect.ts'
import { openPostgres } from './postgres.ts'
import { listenToPostgres } from './postgres-notifications.ts'
import type { Db } from './tables.ts'
import { userNamed } from './users.fixture.ts'

const expected = isOnPostgres ? postgresDialect : sqliteDialect

const insertUser = (db: Db, name: string) =>
  db.insertInto('users').values(userNamed(name)).returning('id').executeTakeFirstOrThrow()

test('a connection and a transaction on it know their dialect', async (context) => {
  const { db, slowReads } = await testDatabase(context)
  assert.equal(dialectOf(db), expected)
  assert.equal(dialectOf(slowReads), expected)
  await db.transaction().execute(async (transaction) => assert.equal(dialectOf(transaction), expected))
})

if (isOnPostgres) {
  test('two transactions can write the same row in sequence although the role’s isolation level is stricter', async (context) => {
    const { db, settings } = await testDatabase(context)
    const { id } = await insertUser(db, 'ann')
    const url = new URL(settings.DATABASE_URL!)
    url.searchParams.set('options', '-c default_transaction_isolation=serializable')
    const strict = await openPostgres(url.href)
    const rename = (by: Db, username: string) =>
      by.updateTable('users').set({ username }).where('id', '=', id).execute()
    await strict.db
      .transaction()
      .execute(async (transaction) => {
        await transaction.selectFrom('users').select('id').execute()
        await rename(db, 'bob')
        await rename(transaction, 'cid')
      })
      .finally(strict.close)
    assert.equal((await db.selectFrom('users').select('username').executeTakeFirst())?.username, 'cid')
  })
}

test('a unique violation is told apart from every other error', async (context) => {
  const { db } = await testDatabase(context)
  const { isUniqueViolation } = dialectOf(db)
  await insertUser(db, 'ann')
  const taken = await insertUser(db, 'ann').catch((error) => error)
  assert.equal(isUniqueViolation(taken), true)
  await db.insertInto('settings').values({ name: 'once', value: '' }).execute()
  const twice = await db
    .insertInto('settings')
    .values({ name: 'once', value: '' })
    .execute()
    .catch((error) => error)
  assert.equal(isUniqueViolation(twice), true, 'a primary key likewise')
  const orphan = { token_hash: 'x', user_id: 4242, created_at: 0, expires_at: 0 }
  const foreign = await db
    .insertInto('sessions')
    .values(orphan)
    .execute()
    .catch((error) => error)
  assert.ok(foreign instanceof Error)
  assert.equal(isUniqueViolation(foreign), false, 'an owner who is missing is another fault')
  assert.equal(isUniqueViolation(new Error('other')), false)
})

test('ids, sizes, times, sums and counts are numbers on either database', async (context) => {
  const { db } = await testDatabase(context)
  const { id } = await insertUser(db, 'ann')
  assert.equal(typeof id, 'number')
  const large = 9_000_000_000_000
  await db.updateTable('users').set({ storage_used: large }).execute()
  const { used, count } = await db
    .selectFrom('users')
    .select(({ fn }) => [fn.sum<number>('storage_used').as('used'), fn.countAll<number>().as('count')])
    .executeTakeFirstOrThrow()
  assert.deepEqual([used, count], [large, 1])
})

test('deleting a user deletes their sessions', async (context) => {
  const { db } = await testDatabase(context)
  const { id } = await insertUser(db, 'ann')
  await db.insertInto('sessions').values({ token_hash: 'x', user_id: id, created_at: 0, expires_at: 0 }).execute()
  await db.deleteFrom('users').execute()
  assert.deepEqual(await db.selectFrom('sessions').selectAll().execute(), [])
})

test('a snapshot does not show what is written after it was opened', async (context) => {
  const { db, openSnapshot } = await testDatabase(context)
  await using snapshot = await openSnapshot()
  await insertUser(db, 'ann')
  const listNames = (from: Db) => from.selectFrom('users').select('username').execute()
  assert.deepEqual([await listNames(snapshot.db), await listNames(db)], [[], [{ username: 'ann' }]])
})

test(`a notification reaches the listeners${isOnPostgres ? ', except when its transaction is rolled back' : ''}`, async (context) => {
  const { db, notifications } = await testDatabase(context)
  const heard: string[] = []
  const last = Promise.withResolvers<void>()
  const unsubscribe = notifications.subscribe('events', (payload) => {
    heard.push(payload)
    if (payload === 'last') last.resolve()
  })
  const taken = db.transaction().execute(async (transaction) => {
    if (isOnPostgres) await notifications.publish('events', 'never', transaction)
    throw new Error('rolled back')
  })
  await assert.rejects(taken)
  await db.transaction().execute((transaction) => notifications.publish('events', 'first', transaction))
  await notifications.publish('jobs', 'another channel')
  await notifications.publish('events', 'last')
  await last.promise
  assert.deepEqual(heard, ['first', 'last'])
  unsubscribe()
})

if (isOnPostgres) {
  test('a connection that is lost in the middle of a transaction costs that transaction, not the process', async (context) => {
    const { db, another, notifications } = await testDatabase(context)
    const { db: other } = await another()
    const told = Promise.withResolvers<void>()
    notifications.subscribe('events', () => told.resolve())
    const begun = Promise.withResolvers<void>()
    const cut = Promise.withResolvers<void>()
    const losing = db.transaction().execute(async (transaction) => {
      await transaction.insertInto('settings').values({ name: 'lost', value: 'x' }).execute()
      begun.resolve()
      await cut.promise
      await transaction.insertInto('settings').values({ name: 'late', value: 'x' }).execute()
    })
    await begun.promise
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`.execute(other)
    // Idle meanwhile, as while a file is written: only an event of the connection tells of its end.
    await told.promise
    cut.resolve()
    await assert.rejects(losing, (error) => isDatabaseAway(error))
    assert.deepEqual(await db.selectFrom('settings').select('name').where('name', 'in', ['lost', 'late']).execute(), [])
  })

  test('a row that another process has locked is skipped', async (context) => {
    const { db } = await testDatabase(context)
    await db
      .insertInto('settings')
      .values(['a', 'b'].map((name) => ({ name, value: '' })))
      .execute()
    const take = (from: Db) =>
      dialectOf(from)
        .lockFreeRows(from.selectFrom('settings').select('name').orderBy('name').limit(1))
        .executeTakeFirst()
    await db.transaction().execute(async (first) => {
      assert.equal((await take(first))?.name, 'a')
      await db.transaction().execute(async (second) => assert.equal((await take(second))?.name, 'b'))
    })
  })

  /** The URL of a proxy to the database that forwards a chunk, in either direction, only if `pass` returns true. */
  async function proxyTo(context: TestContext, url: string, pass: (piece: Buffer, from: Socket) => boolean) {
    const address = new URL(url)
    const target = { host: address.hostname, port: Number(address.port) }
    const between = createServer((socket) => {
      const onward = connect(target)
      for (const [from, to] of [
        [socket, onward],
        [onward, socket],
      ] as const) {
        from.on('data', (piece) => pass(piece, from) && to.write(piece))
        from.on('error', () => {}).on('close', () => to.destroy())
      }
    })
    await once(between.listen(0, '127.0.0.1'), 'listening')
    context.after(() => between.close())
    address.hostname = '127.0.0.1'
    address.port = String((between.address() as AddressInfo).port)
    return { between, url: address.href }
  }

  test('a connection that stops answering without being closed is detected and replaced', async (context) => {
    const { db, settings } = await testDatabase(context)
    let isSilent = false
    const { between, url } = await proxyTo(context, settings.DATABASE_URL!, () => !isSilent)
    const notifications = await listenToPostgres(url, db, { everyMs: 20, withinMs: 50 })
    context.after(() => notifications.close())
    const told = new Promise<void>((resolve) => {
      notifications.subscribe('events', (payload) => {
        if (payload === '') resolve()
      })
    })
    isSilent = true
    await once(between, 'connection')
    isSilent = false
    await told
  })

  test('a database that accepts connections and closes them at the first query exhausts no pool', async (context) => {
    const { settings } = await testDatabase(context)
    let isCutting = false
    const { url } = await proxyTo(context, settings.DATABASE_URL!, (piece, from) => {
      // After the login a query is sent as "Query" or "Parse"; no earlier message begins with these letters.
      const isCut = isCutting && /^[QP]/.test(piece.toString('latin1'))
      if (isCut) from.destroy()
      return !isCut
    })
    const { db, close } = await openPostgres(url)
    const ask = () => sql`SELECT 1`.execute(db)
    isCutting = true
    // More often than the pool has connections.
    for (let times = 0; times < 12; times++) await assert.rejects(ask(), (error) => isDatabaseAway(error))
    isCutting = false
    await ask().finally(close)
  })

  test('the server refuses to start behind a pooler in transaction mode', async (context) => {
    const { settings } = await testDatabase(context)
    // Such a pooler loses a session's LISTEN with the next query.
    const { url } = await proxyTo(context, settings.DATABASE_URL!, (piece) => {
      for (let at = piece.indexOf('LISTEN'); at >= 0; at = piece.indexOf('LISTEN', at)) piece.write('NOTIFY', at)
      return true
    })
    await assert.rejects(openPostgres(url), {
      name: 'ConfigError',
      message: /^DATABASE_URL leads to a pooler .*session mode$/,
    })
  })

  test('after PostgreSQL closes every connection, queries and notifications work again, and listeners are told', async (context) => {
    const { db, notifications, another } = await testDatabase(context)
    const heard: string[] = []
    const told = Promise.withResolvers<void>()
    const again = Promise.withResolvers<void>()
    notifications.subscribe('events', (payload) => {
      heard.push(payload)
      if (payload === '') told.resolve()
      if (payload === 'again') again.resolve()
    })
    // The end of an idle connection must not end the process.
    await sql`SELECT 1`.execute((await another()).db)
    const cut = sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`
    await cut.execute(db)
    await told.promise
    await notifications.publish('events', 'again')
    await again.promise
    assert.deepEqual(heard, ['', 'again'])
  })
}
