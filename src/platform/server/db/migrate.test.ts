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
  const created = await createTestDatabase({ isEmpty: true })
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

test('the next migration runs on a library with rows in it, and keeps them', async (context) => {
  const { db, migrations } = await testDatabase(context)
  await migrations.underLock(async ({ exec }) => exec(rowsOfTheBaseline))
  const known = listMigrations(migrations)
  const version = known.at(-1)!.version + 1
  const next = { version, name: `${version}-made-up.sql`, sql: madeUpMigration(migrations.types) }
  await migrate(migrations, [...known, next])
  await migrate(migrations, [...known, next])
  await migrations.underLock(async (database) => assert.equal(database.version, version))
  const { rows } = await sql`SELECT username, nickname, media_count, storage_used FROM users`.execute(db)
  assert.deepEqual(rows, [{ username: 'ann', nickname: 'ann!', media_count: 1, storage_used: 5 }])
  const pets = await sql`SELECT name, born_at FROM pets`.execute(db)
  assert.deepEqual(pets.rows, [{ name: 'boat.jpg', born_at: 7 }])
  assert.equal((await db.selectFrom('sessions').selectAll().execute()).length, 1)
})

const rowsOfTheBaseline = `
  INSERT INTO users (username, username_key, email, email_key, password_hash, is_admin, created_at)
    VALUES ('ann', 'ann', 'ann@example.com', 'ann@example.com', 'x', 1, 1);
  INSERT INTO sessions (token_hash, user_id, created_at, expires_at) VALUES ('token', 1, 1, 2);
  INSERT INTO blobs (sha256, bytes, created_at) VALUES ('blob', 5, 1);
  INSERT INTO media (owner_id, filename, name_key, type, mime_type, blob, size, created_at, updated_at)
    VALUES (1, 'boat.jpg', 'boat.jpg', 'image', 'image/jpeg', 'blob', 5, 7, 7);
`

/** A new column, a new table with rows made of old ones, and a changed row. */
const madeUpMigration = (types: Record<'ID' | 'TIME', string>) => `
  ALTER TABLE users ADD COLUMN nickname TEXT;
  UPDATE users SET nickname = username || '!';
  CREATE TABLE pets (
    id ${types.ID},
    name TEXT NOT NULL,
    born_at ${types.TIME} NOT NULL
);
  INSERT INTO pets (name, born_at) SELECT filename, created_at FROM media;
`

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
      /^The database is at version 9999, but this version of Albumen supports only \d+\. Start the newer version/,
    )
    return true
  })
  await migrations.underLock(async ({ version }) => assert.equal(version, 9999))
})
