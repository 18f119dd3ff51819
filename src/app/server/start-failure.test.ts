import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { TLSSocket } from 'node:tls'
import { sql } from 'kysely'
import { untrustedCertificate } from '#engines/web/test-certificate.ts'
import { refuseForeignBackupFolder } from '#features/backups/server/folder/backup-folder.ts'
import { ConfigError } from '#platform/server/config.ts'
import { migrate, NewerDatabaseError } from '#platform/server/db/migrate.ts'
import { openPostgres } from '#platform/server/db/postgres.ts'
import { openSqlite } from '#platform/server/db/sqlite.ts'
import { makeFolder, makeWritableFolder } from '#platform/server/make-folder.ts'
import { failFileCalls, within } from '#tests/support/file-errors.ts'
import { createTestDatabase, isOnPostgres } from '#tests/support/postgres.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { beOnlyProcess } from './only-process.ts'
import { explainStartFailure } from './start-failure.ts'

const ofOurs = `: it must belong to user ${process.getuid?.()}, which runs Albumen`

const listening = async (port: number, host: string) => {
  const server = createServer().listen(port, host)
  await once(server, 'listening')
  return server
}

test('a port that another program uses is reported', async (context) => {
  const other = await listening(0, '127.0.0.1')
  context.after(() => other.close())
  const { port } = other.address() as { port: number }
  const error = await listening(port, '127.0.0.1').catch((fault) => fault)
  assert.match(explainStartFailure(error), /^PORT is in use by another program \(.*\)$/)
})

test('a host address that the machine does not have is reported', async () => {
  const error = await listening(0, '192.0.2.1').catch((fault) => fault)
  assert.match(explainStartFailure(error), /^Cannot listen on HOST and PORT \(.*\)$/)
})

test('a data folder that cannot be created is reported', async (context) => {
  const file = join(await temporaryFolder(context), 'file')
  await writeFile(file, '')
  for (const folder of [join(file, 'data'), '/proc/data/missing']) {
    const error = await makeFolder(folder).catch((fault) => fault)
    assert.match(explainStartFailure(error), /^DATA_DIR or BACKUP_DIR is not writable \(.*\)$/)
  }
})

test('a data folder that another user owns is reported, with the user that must own it', async (context) => {
  const folder = await temporaryFolder(context)
  failFileCalls(context, (path, call) => path === folder && call === 'access')
  const error = await makeWritableFolder(folder).catch((fault) => fault)
  assert.equal(
    explainStartFailure(error),
    `DATA_DIR or BACKUP_DIR is not writable (EACCES: permission denied, access '${folder}')${ofOurs}`,
  )
})

test('a database that another user owns is reported, with the user that must own it', async (context) => {
  const folder = await temporaryFolder(context)
  const line = (words: string) => `The database in DATA_DIR is not writable (${words})${ofOurs}`
  assert.throws(
    () => openSqlite(folder),
    (error) => explainStartFailure(error) === line('unable to open database file'),
  )
  const file = join(folder, 'albumen.db')
  new DatabaseSync(file).close()
  const database = new DatabaseSync(file, { readOnly: true })
  context.after(() => database.close())
  assert.throws(
    () => database.exec('CREATE TABLE t (x)'),
    (error) => explainStartFailure(error) === line('attempt to write a readonly database'),
  )
})

test('a backup folder that cannot be created is reported', async (context) => {
  const dataDir = await temporaryFolder(context)
  const error = await refuseForeignBackupFolder({ backupDir: '/proc/backups/missing', dataDir }).catch((fault) => fault)
  assert.match(explainStartFailure(error), /^DATA_DIR or BACKUP_DIR is not writable \(.*\)$/)
  const backupDir = join(dataDir, 'new', 'backups')
  await refuseForeignBackupFolder({ backupDir, dataDir })
  assert.equal((await stat(backupDir)).mode & 0o777, 0o700, 'other users cannot read the backups')
})

test('a backup folder that cannot be read, for its permissions or its disk, is reported', async (context) => {
  const dataDir = await temporaryFolder(context)
  const backupDir = join(dataDir, 'backups')
  for (const code of ['EACCES', 'EIO'] as const) {
    const allow = failFileCalls(context, within(backupDir), code)
    const error = await refuseForeignBackupFolder({ backupDir, dataDir }).catch((fault) => fault)
    allow()
    const advice = code === 'EACCES' ? ofOurs : ''
    assert.match(
      explainStartFailure(error),
      new RegExp(`^DATA_DIR or BACKUP_DIR is not readable \\(${code}: .*\\)${advice}$`),
    )
  }
})

test('a data folder that another process uses is reported, after waiting for it', async (context) => {
  const folder = await temporaryFolder(context)
  const onWait = context.mock.fn()
  beOnlyProcess(folder, onWait)
  assert.equal(onWait.mock.callCount(), 0)
  assert.throws(
    () => beOnlyProcess(folder, onWait, 1),
    (error) =>
      /^DATA_DIR is in use by another Albumen process \(.*\)\. .* choose another DATA_DIR$/.test(
        explainStartFailure(error),
      ),
  )
  assert.equal(onWait.mock.callCount(), 1)
})

test('a file that is not a database is reported and not changed', async (context) => {
  const file = join(await temporaryFolder(context), 'albumen.db')
  await writeFile(file, 'a shopping list, long enough to be taken for a page of a database')
  const line = 'The database in DATA_DIR is damaged or not a database (file is not a database)'
  assert.throws(
    () => openSqlite(file),
    (error) => explainStartFailure(error) === line,
  )
  assert.match(await readFile(file, 'utf8'), /^a shopping list/)
})

test('a full disk is reported, whether SQLite or Node met it', async (context) => {
  const file = join(await temporaryFolder(context), 'albumen.db')
  const database = new DatabaseSync(file)
  database.exec('PRAGMA max_page_count = 1')
  context.after(() => database.close())
  const line = /^A disk is full: check DATA_DIR, BACKUP_DIR and the database \(.*\)$/
  assert.throws(
    () => database.exec('CREATE TABLE t (x)'),
    (error) => line.test(explainStartFailure(error)),
  )
  const noSpace = Object.assign(new Error('ENOSPC: no space left on device, mkdir'), {
    code: 'ENOSPC',
    syscall: 'mkdir',
  })
  assert.match(explainStartFailure(noSpace), line)
  // SQLite reports this when there is no room for the log next to its file, and also for a failing disk.
  const noLog = Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 4874 })
  assert.equal(explainStartFailure(noLog), 'The disk of DATA_DIR is full or failing (disk I/O error)')
})

test('a database that cannot be reached is reported without its password', async () => {
  const error = await openPostgres('postgres://ann:secret@127.0.0.1:1/albumen').catch((fault) => fault)
  const line = explainStartFailure(error)
  assert.match(line, /^DATABASE_URL names a database that cannot be opened \(connect ECONNREFUSED .*\)$/)
  assert.doesNotMatch(line, /secret|\n/)
})

test('a database with an untrusted certificate is reported with the setting that trusts it', async (context) => {
  const server = createServer((socket) => {
    // "S" tells the client to start TLS.
    socket.once('data', () => {
      socket.write('S')
      new TLSSocket(socket, { isServer: true, ...untrustedCertificate }).on('error', () => {})
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  context.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const warnings: string[] = []
  const hear = ({ message }: Error) => void warnings.push(message)
  process.on('warning', hear)
  const error = await openPostgres(`postgres://ann@127.0.0.1:${port}/albumen?sslmode=require`).catch((fault) => fault)
  process.off('warning', hear)
  assert.match(
    explainStartFailure(error),
    /^DATABASE_URL names a database that cannot be opened \(self-signed certificate\): add "sslrootcert=" .* without verification$/,
  )
  assert.deepEqual(warnings, [])
})

if (isOnPostgres) {
  test('a search_path without a schema or without the extensions is reported', async (context) => {
    const { settings, drop } = (await createTestDatabase({ isEmpty: true }))!
    context.after(drop)
    const url = new URL(settings.DATABASE_URL)
    url.searchParams.set('options', '-c search_path=own')
    const start = async () => {
      const database = await openPostgres(url.href)
      const error = await migrate(database.migrations).catch((fault) => fault)
      await sql
        .raw('CREATE SCHEMA IF NOT EXISTS own; CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public')
        .execute(database.db)
      await database.close()
      return explainStartFailure(error)
    }
    assert.match(await start(), /^The search_path of the role in DATABASE_URL lacks .* \(no schema .*\)$/)
    assert.match(await start(), /^The search_path of the role in DATABASE_URL lacks .* \(operator class .*\)$/)
  })

  test('a database in another encoding is reported before anything is created in it', async (context) => {
    const { settings, drop } = (await createTestDatabase({ encoding: 'LATIN1' }))!
    context.after(drop)
    const error = await openPostgres(settings.DATABASE_URL).catch((fault) => fault)
    assert.equal(explainStartFailure(error), 'DATABASE_URL names a database in LATIN1: its encoding must be UTF8')
  })
}

test('a PostgreSQL role without the permissions is reported', () => {
  const refusal = Object.assign(new Error('permission denied for schema public'), { code: '42501' })
  assert.match(explainStartFailure(refusal), /^The role in DATABASE_URL may not .* \(permission denied .*\)$/)
})

test('a read-only database is reported', () => {
  const refusal = Object.assign(new Error('cannot execute CREATE TABLE in a read-only transaction'), { code: '25006' })
  assert.match(explainStartFailure(refusal), /^The database in DATABASE_URL is read-only, .* \(cannot .*\)$/)
})

test('an unknown error at the start is shown with its stack trace', () => {
  assert.equal(explainStartFailure(new ConfigError('PORT is odd')), 'PORT is odd')
  assert.equal(explainStartFailure(new NewerDatabaseError('Newer')), 'Newer')
  assert.match(explainStartFailure(new Error('Something odd')), /^Error: Something odd\n +at /)
  assert.equal(explainStartFailure('thrown by hand'), 'thrown by hand')
})
