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

test('a library with rows in it is brought forward, and keeps them', async (context) => {
  const { open } = await emptyDatabase(context)
  const { db, migrations, close } = await open()
  await migrations.underLock(async ({ exec }) => {
    for (const { version, sql: text } of listMigrations(migrations)) if (version <= 50) await exec(text)
    await exec('UPDATE schema_version SET version = 50')
    await exec(rowsOfVersion50)
  })
  await migrate(migrations)
  const ask = async (
    table: 'users' | 'media' | 'sessions' | 'slugs' | 'share_views' | 'imagekit_objects' | 'ai_runs' | 'loose_blobs',
  ) => {
    const rows = await db.selectFrom(table).selectAll().execute()
    assert.equal(rows.length, 1, table)
    return rows[0] as Record<string, unknown>
  }
  const { username, media_count, storage_used } = await ask('users')
  assert.deepEqual([username, media_count, storage_used], ['ann', 1, 5])
  const { filename, source } = await ask('media')
  assert.deepEqual([filename, source], ['boat.jpg', null], 'an address without end is forgotten')
  const jobs = await db.selectFrom('jobs').select('kind').orderBy('id').execute()
  assert.deepEqual(
    jobs.map(({ kind }) => kind),
    ['tidy-media', 'index-unspaced'],
    'what was waiting waits, and search documents are written again',
  )
  assert.equal((await ask('sessions')).token_hash, 'token')
  assert.equal((await ask('ai_runs')).is_review, 0)
  assert.equal((await ask('slugs')).taken_at, 1, 'the address that is in use is known as such')
  assert.equal((await ask('share_views')).target_id, 1, 'what is gone has no visitors')
  assert.equal((await ask('loose_blobs')).sha256, 'unused', 'the janitor will look at it')
  const { folder, state, media_id } = await ask('imagekit_objects')
  assert.deepEqual([folder, state, media_id], ['/albumen/1-blob', 'leaving', 1], 'an old copy is taken away')
  await close()
})

/** One of each that a later migration changes or looks at. */
const rowsOfVersion50 = `
  INSERT INTO users (username, username_key, email, email_key, password_hash, is_admin, created_at)
    VALUES ('ann', 'ann', 'ann@example.com', 'ann@example.com', 'x', 1, 1);
  INSERT INTO sessions (token_hash, user_id, created_at, expires_at) VALUES ('token', 1, 1, 2);
  INSERT INTO jobs (kind, payload, status, run_at, created_at, updated_at)
    VALUES ('tidy-media', '{}', 'waiting', 1, 1, 1);
  INSERT INTO blobs (sha256, bytes, created_at) VALUES ('blob', 5, 1), ('unused', 5, 1);
  INSERT INTO media
    (owner_id, filename, name_key, type, mime_type, blob, size, status, public_slug, source, created_at, updated_at)
    VALUES (1, 'boat.jpg', 'boat.jpg', 'image', 'image/jpeg', 'blob', 5, 'ready', 'boat', '${'a'.repeat(200_001)}', 1, 1);
  INSERT INTO slugs (kind, slug, target_id) VALUES ('media', 'boat', 1);
  INSERT INTO share_views (kind, target_id, day, views)
    VALUES ('media', 1, '2026-01-01', 1), ('media', 2, '2026-01-01', 1), ('collection', 1, '2026-01-01', 1);
  INSERT INTO imagekit_files (media_id, blob, file_id, file_path, is_private, copied_at)
    VALUES (1, 'blob', 'file', '/boat.jpg', 0, 1);
  INSERT INTO ai_runs (id, owner_id, kind, status, total, created_at, updated_at)
    VALUES ('run', 1, 'tag', 'done', 1, 1, 1);
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
      /^The database is at version 9999, this program knows only \d+: start the newer Albumen/,
    )
    return true
  })
  await migrations.underLock(async ({ version }) => assert.equal(version, 9999))
})
