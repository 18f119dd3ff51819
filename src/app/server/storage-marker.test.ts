import assert from 'node:assert/strict'
import { cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import pino from 'pino'
import { claimBackupFolder } from '#features/backups/server/folder/backup-folder.ts'
import { ConfigError, loadConfig } from '#platform/server/config.ts'
import { createTestDatabase, isOnPostgres } from '#tests/support/postgres.ts'
import { seedLibrary } from '#tests/support/seed-library.ts'
import { onEveryStorageAndDatabase } from '#tests/support/storages.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { createServices, type Services } from './services.ts'
import { ForeignStorageError, matchStorage } from './storage-marker.ts'

async function ownSettings(context: TestContext) {
  const database = await createTestDatabase()
  if (database) context.after(database.drop)
  return { DATA_DIR: await temporaryFolder(context), AI_LOCAL: '0', ...database?.settings }
}

/** Starts the app, runs `work` and stops it. */
async function run(settings: Record<string, string>, work: (services: Services) => Promise<unknown> = async () => {}) {
  const services = await createServices(loadConfig(settings), pino({ level: 'silent' }))
  try {
    await work(services)
  } finally {
    await services.close()
  }
}

async function addPicture(services: Services) {
  const account = {
    username: 'ann',
    username_key: 'ann',
    email: 'a',
    email_key: 'a',
    password_hash: 'x',
    created_at: 0,
  }
  const { id } = await services.db.insertInto('users').values(account).returning('id').executeTakeFirstOrThrow()
  await seedLibrary(services, id, [{}])
}

const refuses = (message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof ForeignStorageError)
  assert.match(error.message, message)
  return true
}

test('the same folder and the same database can be restarted', async (context) => {
  const settings = await ownSettings(context)
  await run(settings, addPicture)
  await run(settings)
  await run(settings)
})

test('a folder without its marker is treated as an unmounted disk, not as an empty library', async (context) => {
  const settings = await ownSettings(context)
  await run(settings, addPicture)
  await rm(join(settings.DATA_DIR, 'library-id'))
  await assert.rejects(run(settings), refuses(/storage is empty, but the database lists files.*DATA_DIR.*S3_BUCKET/))
  await assert.rejects(run(settings), ForeignStorageError, 'and the next start refuses as well')
})

test('a folder with the marker of another library is refused', async (context) => {
  const settings = await ownSettings(context)
  await run(settings, addPicture)
  await writeFile(join(settings.DATA_DIR, 'library-id'), 'another')
  await assert.rejects(run(settings), refuses(/belongs to another database/))
})

onEveryStorageAndDatabase(
  'a new database does not take the files of another one for its own',
  async (context, bucket) => {
    const settings = { ...(await ownSettings(context)), ...bucket }
    await run(settings, async ({ storage }) => {
      await using arrival = await storage.receive(Readable.from([Buffer.from('a picture')]), { maxBytes: 100 })
      await arrival.commit()
    })
    for (const ending of ['', '-wal', '-shm']) await rm(join(settings.DATA_DIR, `albumen.db${ending}`), { force: true })
    const newDatabase = { ...settings, ...(await ownSettings(context)), DATA_DIR: settings.DATA_DIR }
    await assert.rejects(run(newDatabase), refuses(/holds files, but the database is new.*DATABASE_URL.*moving/))
    await rm(join(settings.DATA_DIR, 'library-id'), { force: true })
    await assert.rejects(run(newDatabase), ForeignStorageError, 'the next start too, and where the mark is gone')
  },
)

if (isOnPostgres) {
  test('a new database is refused while DATA_DIR holds a SQLite library', async (context) => {
    const settings = await ownSettings(context)
    const oldDatabase = join(settings.DATA_DIR, 'albumen.db')
    await writeFile(oldDatabase, '')
    await assert.rejects(run(settings), refuses(/holds a SQLite library.*DATABASE_URL is new.*moving/))
    await assert.rejects(run(settings), ForeignStorageError, 'the next start too')
    await rm(oldDatabase)
    await run(settings)
    await writeFile(oldDatabase, '')
    await run(settings)
  })
}

test('after an interrupted first start the next one succeeds', async (context) => {
  const settings = await ownSettings(context)
  await run(settings, ({ db }) => db.deleteFrom('settings').where('name', '=', 'library-id').execute())
  await run(settings, addPicture)
  await run(settings)
})

test('an empty library can be moved to an empty folder', async (context) => {
  const settings = await ownSettings(context)
  await run(settings)
  await rm(join(settings.DATA_DIR, 'library-id'))
  await run(settings, addPicture)
  await run(settings)
})

test('processes that start for the first time at once write the same marker', async (context) => {
  const settings = await ownSettings(context)
  await run(settings, async ({ db, storage }) => {
    for (let round = 0; round < 5; round++) {
      await db.deleteFrom('settings').where('name', '=', 'library-id').execute()
      await rm(join(settings.DATA_DIR, 'library-id'))
      await Promise.all([1, 2, 3].map(() => matchStorage(db, storage)))
      await matchStorage(db, storage)
    }
    const folders = [await temporaryFolder(context), await temporaryFolder(context)]
    const outcomes = async (roots: string[]) => {
      await db.deleteFrom('settings').where('name', '=', 'backup-folder').execute()
      const settled = await Promise.allSettled(roots.map((root) => claimBackupFolder(db, root)))
      return settled.map(({ status }) => status).sort()
    }
    assert.deepEqual(await outcomes(folders), ['fulfilled', 'rejected'], 'one folder for backups, not one for each')
    const one = await temporaryFolder(context)
    assert.deepEqual(await outcomes([one, one]), ['fulfilled', 'fulfilled'])
  })
  await run(settings, addPicture)
  await run(settings)
})

test('a BACKUP_DIR that holds other files is refused and not changed', async (context) => {
  const settings = await ownSettings(context)
  const place = await temporaryFolder(context)
  const at = (...names: string[]) => join(place, ...names)
  const refused = async (backupDir: string, message: RegExp) => {
    const before = await readdir(backupDir, { recursive: true })
    await assert.rejects(run({ ...settings, BACKUP_DIR: backupDir }), (error) => {
      assert.ok(error instanceof ConfigError)
      assert.ok(error.message.startsWith(`BACKUP_DIR (${backupDir}) `), error.message)
      assert.match(error.message, message)
      return true
    })
    assert.deepEqual(await readdir(backupDir, { recursive: true }), before)
  }
  await refused(settings.DATA_DIR, /is DATA_DIR itself/)
  await symlink(settings.DATA_DIR, at('link'))
  await refused(at('link'), /is DATA_DIR itself/)
  settings.DATA_DIR = at('outer', 'data')
  await mkdir(settings.DATA_DIR, { recursive: true })
  await refused(at('outer'), /contains DATA_DIR/)
  await mkdir(join(settings.DATA_DIR, 'tmp'))
  await refused(join(settings.DATA_DIR, 'tmp'), /inside the library's own files/)
  await run({ ...(await ownSettings(context)), DATA_DIR: at('old') })
  await refused(at('old'), /folder of a library, since it contains library-id/)
  await rm(at('old', 'library-id'))
  await writeFile(at('old', 'albumen.db'), '')
  await refused(at('old'), /folder of a library, since it contains albumen.db/)
  for (const name of ['blobs', 'tmp', 'snapshots']) {
    await mkdir(at('other', name, 'ab'), { recursive: true })
    await refused(at('other'), new RegExp(`files of something else in ${name}:`))
    await rm(at('other', name), { recursive: true })
  }
  await cp(at('old', 'backups'), at('copy'), { recursive: true })
  await mkdir(at('copy', 'blobs', 'ab'))
  for (const name of ['copy', 'other']) await run({ ...settings, BACKUP_DIR: at(name) })
})
