import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { createTestDatabase } from '#tests/support/postgres.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { testDatabase } from '#tests/support/test-database.ts'
import { listMigrations, migrate, NewerDatabaseError } from './migrate.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

async function emptyDatabase(context: TestContext) {
  const created = await createTestDatabase()
  const folder = await temporaryFolder(context)
  const settings = { DATA_DIR: folder, ...created?.settings }
  const open = async () => (created ? openPostgres(created.settings.DATABASE_URL) : openSqlite(`${folder}/albumen.db`))
  if (created) context.after(created.drop)
  return { settings, open }
}

test('each migration has a number of its own, on either database', () => {
  for (const dialect of ['sqlite', 'postgres'] as const) {
    const types = { ID: 'ID', TIME: 'TIME', LONG: 'LONG', DOUBLE: 'DOUBLE', BYTES: 'BYTES' }
    const versions = listMigrations({ dialect, types }).map(({ version }) => version)
    assert.ok(versions.every((version) => version > 0))
    assert.equal(new Set(versions).size, versions.length)
  }
})

test('a start brings the database to the newest version, the next one leaves it alone', async (context) => {
  const { db, migrations } = await testDatabase(context)
  const newest = listMigrations(migrations).at(-1)!.version
  await db.insertInto('settings').values({ name: 'kept', value: 'yes' }).execute()
  await migrate(migrations)
  await migrations.underLock(async ({ version }) => assert.equal(version, newest))
  assert.equal((await db.selectFrom('settings').selectAll().execute()).length, 1)
})

test('several processes that start at once on an empty database migrate it once', async (context) => {
  const { settings, open } = await emptyDatabase(context)
  const children = Array.from({ length: 4 }, () =>
    fork(new URL('./migrate-process.fixture.ts', import.meta.url), {
      execArgv: [],
      env: { PATH: process.env.PATH, ...settings },
    }),
  )
  context.after(() => children.map((child) => child.kill('SIGKILL')))
  await Promise.all(children.map((child) => once(child, 'message')))
  const ends = children.map((child) => once(child, 'exit'))
  for (const child of children) child.send('go')
  for (const end of ends) assert.deepEqual(await end, [0, null])
  const database = await open()
  const { rows } = await sql<{ version: number }>`SELECT version FROM schema_version`.execute(database.db)
  await database.close()
  assert.deepEqual(
    rows.map(({ version }) => version),
    [listMigrations(database.migrations).at(-1)!.version],
  )
})

test('a migration that fails leaves the database as it was', async (context) => {
  const { open } = await emptyDatabase(context)
  const { db, migrations, close } = await open()
  const failing = migrations.underLock(async ({ exec }) => {
    await exec('CREATE TABLE half_done (id INTEGER)')
    await exec('CREATE NONSENSE')
  })
  await assert.rejects(failing, /syntax error/)
  await assert.rejects(sql`SELECT * FROM half_done`.execute(db))
  await migrate(migrations)
  await close()
})

test('a database that a newer program wrote is refused, and stays as it is', async (context) => {
  const { db, migrations } = await testDatabase(context)
  await sql`UPDATE schema_version SET version = 9999`.execute(db)
  await assert.rejects(migrate(migrations), (error: Error) => {
    assert.ok(error instanceof NewerDatabaseError)
    assert.match(
      error.message,
      /^The database is at version 9999, this program knows only \d+: start the newer Albumen/,
    )
    return true
  })
  await migrations.underLock(async ({ version }) => assert.equal(version, 9999))
})
