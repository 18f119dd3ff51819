import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { Kysely, sql } from 'kysely'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { isDiskFull } from '../system-errors.ts'
import { migrate } from './migrate.ts'
import { prepareRows } from './prepared.ts'
import { openSqlite } from './sqlite.ts'
import { createReaderDialect } from './sqlite-readers.ts'
import { asKyselyDatabase } from './sqlite-statements.ts'
import type { Db, Tables } from './tables.ts'
import { userNamed } from './users.fixture.ts'

async function opened(context: TestContext) {
  const folder = await temporaryFolder(context)
  const database = openSqlite(join(folder, 'albumen.db'))
  await migrate(database.migrations)
  let isClosed = false
  const close = async () => {
    if (!isClosed) await database.close()
    isClosed = true
  }
  context.after(close)
  return { ...database, folder, close }
}

const countTo = (limit: number) =>
  sql<{ n: number }>`WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${limit})
    SELECT max(n) AS n FROM c`

test('the database uses a write-ahead log, full synchronization and foreign keys', async (context) => {
  const { db } = await opened(context)
  const pragma = async (name: string) =>
    Object.values((await sql.raw<Record<string, unknown>>(`PRAGMA ${name}`).execute(db)).rows[0]!)[0]
  assert.deepEqual(await Promise.all(['journal_mode', 'synchronous', 'foreign_keys'].map(pragma)), ['wal', 2, 1])
})

test('other users of the machine cannot read a new database or its log', async (context) => {
  const { folder } = await opened(context)
  const names = await readdir(folder)
  const modes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).mode & 0o777))
  assert.deepEqual(
    names.map((name, index) => [name, modes[index]]),
    ['albumen.db', 'albumen.db-shm', 'albumen.db-wal'].map((name) => [name, 0o600]),
  )
})

// SQLite does not tell how often it prepares a statement; see [Note: Limits are expressions].
test('a limit is applied, and is an expression so that SQLite does not prepare the statement again', async (context) => {
  const { db } = await opened(context)
  await db.insertInto('users').values(['ann', 'bob', 'cid'].map(userNamed)).execute()
  const page = db.selectFrom('users').select('username').orderBy('username').limit(1).offset(1)
  assert.deepEqual(await page.execute(), [{ username: 'bob' }])
  assert.match(page.compile().sql, / limit \? \+ 0 offset \?$/)
})

test('a closed database is a single file, so that users can copy it', async (context) => {
  const { db, folder, close } = await opened(context)
  await db.insertInto('settings').values({ name: 'a', value: 'b' }).execute()
  await close()
  assert.deepEqual(await readdir(folder), ['albumen.db'])
})

test('a database can be closed on a full disk, and its log is read at the next start', async (context) => {
  const { db, folder, close } = await opened(context)
  await db.insertInto('users').values(userNamed('ann')).execute()
  const { exec } = DatabaseSync.prototype
  context.mock.method(DatabaseSync.prototype, 'exec', function (this: DatabaseSync, statement: string) {
    if (statement.includes('wal_checkpoint')) throw new Error('database or disk is full')
    return exec.call(this, statement)
  })
  await close()
  context.mock.restoreAll()
  const next = openSqlite(join(folder, 'albumen.db'))
  context.after(next.close)
  assert.equal((await next.db.selectFrom('users').select('username').execute()).length, 1)
})

test('a read bypasses a long transaction and sees the last commit; a write waits', async (context) => {
  const { db } = await opened(context)
  const names = async (reader: Db) =>
    (await reader.selectFrom('settings').select('name').orderBy('name').execute()).map(({ name }) => name)
  const add = (name: string) => db.insertInto('settings').values({ name, value: '' }).execute()
  await add('before')
  // A connection that is used again for a transaction waits like any other.
  await Promise.all([1, 2].map(() => db.transaction().execute(async () => {})))
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const happened: string[] = []
  const long = db.transaction().execute(async (transaction) => {
    await transaction.insertInto('settings').values({ name: 'within', value: '' }).execute()
    begun.resolve()
    await end.promise
    assert.deepEqual(await names(transaction), ['before', 'within'])
    happened.push('committed')
  })
  await begun.promise
  const changes = ['first', 'second'].map((name) => add(name).then(() => happened.push(name)))
  const raw = sql`INSERT INTO settings (name, value) VALUES ('third', '')`.execute(db)
  changes.push(raw.then(() => happened.push('third')))
  assert.deepEqual(await names(db), ['before'])
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM settings`.execute(db)
  assert.deepEqual([rows[0]?.count, happened], [1, []])
  // A prepared query runs synchronously, but not inside another caller's transaction.
  const listPrepared = prepareRows((on) => on.selectFrom('settings').select('name'))
  assert.deepEqual(await listPrepared(db), [{ name: 'before' }])
  end.resolve()
  await Promise.all([long, ...changes])
  assert.deepEqual(happened, ['committed', 'first', 'second', 'third'])
  assert.deepEqual(await names(db), ['before', 'first', 'second', 'third', 'within'])
  // The reads that went to a worker thread no longer wait for the lock.
  await add('last')
})

test('after a failed transaction the next one starts', async (context) => {
  const { db } = await opened(context)
  const failing = db.transaction().execute(async () => {
    throw new Error('changed my mind')
  })
  const next = db
    .transaction()
    .execute((transaction) => transaction.insertInto('settings').values({ name: 'a', value: '' }).execute())
  await assert.rejects(failing, /changed my mind/)
  await next
  assert.equal((await db.selectFrom('settings').selectAll().execute()).length, 1)
})

test('a full disk rolls back the transaction and is reported as such', async (context) => {
  const { db } = await opened(context)
  const value = 'x'.repeat(1_000_000)
  await sql`PRAGMA max_page_count = 1`.execute(db)
  const writing = db.transaction().execute(async (transaction) => {
    await transaction.insertInto('settings').values({ name: 'small', value: 'fits' }).execute()
    await transaction.insertInto('settings').values({ name: 'large', value }).execute()
  })
  await assert.rejects(writing, (error) => isDiskFull(error))
  assert.deepEqual(await db.selectFrom('settings').select('name').execute(), [])
  await sql`PRAGMA max_page_count = 1000000`.execute(db)
  await db.insertInto('settings').values({ name: 'large', value }).execute()
})

test('an error that ended the transaction is not hidden by an error of the rollback', async (context) => {
  const { db } = await opened(context)
  const failing = db.transaction().execute(async (transaction) => {
    await sql`ROLLBACK`.execute(transaction)
    throw new Error('disk I/O error')
  })
  await assert.rejects(failing, /^Error: disk I\/O error$/)
  await db.insertInto('settings').values({ name: 'goes', value: 'on' }).execute()
})

test('tables enforce their column types', async (context) => {
  const { db } = await opened(context)
  const insert = sql`INSERT INTO attempts (name, count, resets_at) VALUES ('x', 'many', 0)`.execute(db)
  await assert.rejects(insert, /cannot store TEXT value in INTEGER column/)
})

test('the version differs after a change by any connection, and is undefined during a transaction', async (context) => {
  const { db, folder, readVersion } = await opened(context)
  const versions = [readVersion()]
  assert.equal(readVersion(), versions[0])
  await sql`UPDATE schema_version SET version = version + 1`.execute(db)
  versions.push(readVersion())
  const other = new DatabaseSync(join(folder, 'albumen.db'))
  other.exec('UPDATE schema_version SET version = version + 1')
  other.close()
  versions.push(readVersion())
  await db.transaction().execute(async (transaction) => {
    await sql`UPDATE schema_version SET version = version + 1`.execute(transaction)
    assert.equal(readVersion(), undefined)
  })
  versions.push(readVersion())
  assert.equal(new Set(versions).size, 4)
  assert.ok(!versions.includes(undefined))
})

test('a slow read does not block the event loop', async (context) => {
  const { db, slowReads } = await opened(context)
  let isAnswered = false
  const slow = countTo(3_000_000)
    .execute(slowReads)
    .then(({ rows }) => {
      isAnswered = true
      return rows[0]!.n
    })
  // A read and not a write, since a slow disk could take longer than the count.
  await db.selectFrom('settings').selectAll().execute()
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isAnswered, false)
  assert.equal(await slow, 3_000_000)
})

test('a fast read does not wait for a slow one', async (context) => {
  const { slowReads } = await opened(context)
  const order: string[] = []
  // Starts both threads before the measurement.
  await Promise.all([countTo(1).execute(slowReads), countTo(1).execute(slowReads)])
  const slow = countTo(3_000_000)
    .execute(slowReads)
    .then(() => order.push('slow'))
  const quick = countTo(1)
    .execute(slowReads)
    .then(() => order.push('quick'))
  await Promise.all([slow, quick])
  assert.deepEqual(order, ['quick', 'slow'])
})

test('readers see committed writes, and answer many concurrent queries', async (context) => {
  const { db, slowReads } = await opened(context)
  await db.insertInto('settings').values({ name: 'a', value: 'Zoë' }).execute()
  assert.equal((await slowReads.selectFrom('settings').selectAll().executeTakeFirst())?.value, 'Zoë')
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => countTo(n + 1).execute(slowReads)))
  assert.deepEqual(
    answers.map(({ rows }) => rows[0]!.n),
    Array.from({ length: 20 }, (_, n) => n + 1),
  )
})

test('readers cannot write, and continue after an error', async (context) => {
  const { slowReads } = await opened(context)
  const insert = slowReads.insertInto('settings').values({ name: 'a', value: 'b' }).execute()
  await assert.rejects(insert, /readonly database/)
  await assert.rejects(sql`SELECT * FROM nowhere`.execute(slowReads), /no such table: nowhere/)
  await assert.rejects(sql`SELECT ${Symbol('x')}`.execute(slowReads), /could not be cloned/)
  await assert.rejects(
    slowReads.transaction().execute(async () => {}),
    /Expected a read/,
  )
  assert.equal((await countTo(1).execute(slowReads)).rows[0]!.n, 1)
})

test('a reader thread that died is replaced', async (context) => {
  const path = join(await temporaryFolder(context), 'late.db')
  const readers = new Kysely<Tables>({ dialect: createReaderDialect(path) })
  context.after(() => readers.destroy())
  const early = await Promise.allSettled(Array.from({ length: 5 }, () => countTo(1).execute(readers)))
  assert.deepEqual(
    early.map(({ status }) => status),
    Array.from({ length: 5 }, () => 'rejected'),
    'there is no database yet, and no thread can open it',
  )
  const database = openSqlite(path)
  await migrate(database.migrations)
  const late = await Promise.all(Array.from({ length: 5 }, () => countTo(1).execute(readers)))
  assert.equal(late.length, 5)
  await database.close()
})

test('queries that wait for a reader when the server stops fail instead of hanging', async (context) => {
  const { slowReads, close } = await opened(context)
  await countTo(1).execute(slowReads)
  let answered = 0
  const ask = async () => {
    await countTo(1_000_000).execute(slowReads)
    answered++
  }
  const answers = Promise.allSettled(Array.from({ length: 6 }, ask))
  await new Promise((resolve) => setImmediate(resolve))
  const before = answered
  await close()
  const refused = (await answers).filter(({ status }) => status === 'rejected')
  assert.ok(refused.length >= 6 - before - 2, 'two may have been running')
})

test('a statement is prepared once, and the least recently used one is evicted', (context) => {
  const connection = new DatabaseSync(':memory:')
  const prepare = context.mock.method(connection, 'prepare')
  const database = asKyselyDatabase(connection)
  const use = (n: number) => database.prepare(`SELECT ${n}`)
  assert.equal(use(0), use(0))
  assert.equal(prepare.mock.callCount(), 1)
  for (let n = 1; n < 600; n++) {
    use(n)
    use(0)
  }
  assert.equal(prepare.mock.callCount(), 600, 'the one in use stayed')
  use(1)
  assert.equal(prepare.mock.callCount(), 601, 'the first of the others went')
  database.close()
})

test('statements that return rows are told apart from those that only write', () => {
  const connection = new DatabaseSync(':memory:')
  connection.exec('CREATE TABLE t (id INTEGER PRIMARY KEY)')
  const database = asKyselyDatabase(connection)
  const isReader = (statement: string) => database.prepare(statement).reader
  assert.deepEqual(
    ['SELECT 1', 'WITH a AS (SELECT 1) SELECT * FROM a', 'INSERT INTO t DEFAULT VALUES RETURNING id'].map(isReader),
    [true, true, true],
  )
  assert.deepEqual(['INSERT INTO t DEFAULT VALUES', 'DELETE FROM t'].map(isReader), [false, false])
  database.close()
})
