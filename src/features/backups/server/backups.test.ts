import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { multipart } from '#tests/support/multipart.ts'
import { onEveryStorage } from '#tests/support/storages.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import type { Backup } from '../contract.ts'
import { makeAutomaticBackup } from './automatic.ts'
import { proveNewestBackup } from './drill.ts'
import { loadLibraryColumns } from './library/columns.ts'
import { leftOut, libraryTables } from './library/library-tables.ts'
import { sweepBackups } from './sweep.ts'

/** A library with something in every corner that a person can reach. */
async function fill(product: TestApp) {
  const admin = await product.register()
  const other = await product.register()
  const first = await admin.addPicture('Überblick "1".jpg')
  const second = await other.addPicture('second.jpg')
  await admin.patch(`/api/media/${first.id}`, { userDescription: 'Zeile\nzwei 🎞', aiTags: ['sea', 'dog'] })
  await admin.post(`/api/media/${first.id}/public`)
  await admin.post(`/api/media/${first.id}/copy`)
  await other.post('/api/media/bulk-trash', { mediaIds: [second.id] })
  const { id } = (await admin.post('/api/collections', { name: 'Summer' })).json()
  await admin.post(`/api/collections/${id}/media/${first.id}`)
  await admin.patch(`/api/collections/${id}/visibility`, { isPublic: true })
  await product.settled()
  return { admin, other, first, second, collectionId: id as number }
}

/** Every row of the library, and the hash of every item's bytes as its owner gets them. */
async function everything({ services }: TestApp) {
  const rows: Record<string, unknown[]> = {}
  for (const { name, key } of libraryTables) {
    const { rows: found } = await sql<
      Record<string, unknown>
    >`SELECT * FROM ${sql.table(name)} ORDER BY ${sql.join(key.map((column) => sql.ref(column)))}`.execute(services.db)
    rows[name] = name === 'sketches' ? found.map(({ id: _id, ...row }) => row) : found
  }
  const bytes: Record<string, string> = {}
  for (const { blob } of await services.db.selectFrom('media').select('blob').execute()) {
    const hash = createHash('sha256')
    for await (const chunk of (await services.storage.open(blob)).stream) hash.update(chunk)
    bytes[blob] = hash.digest('hex')
    assert.equal(bytes[blob], blob)
  }
  return { rows, bytes }
}

async function makeBackup(admin: TestUser): Promise<Backup> {
  const answer = await admin.post('/api/admin/backups/create')
  assert.equal(answer.statusCode, 201, answer.body)
  return answer.json().backup
}

async function restore(product: TestApp, admin: TestUser, id: string) {
  const answer = await admin.post(`/api/admin/backups/${id}/restore`)
  assert.equal(answer.statusCode, 200, answer.body)
  await product.settled()
  return (await admin.get('/api/admin/backups/restore-progress')).json()
}

/** As if a long time had passed: nothing points to the bytes any more, so they go. */
async function removeAllBytes({ services }: TestApp) {
  for await (const { sha256 } of services.storage.list()) await services.storage.remove(sha256)
}

test('every table is in a backup or is left out for a reason', async (context) => {
  const { services } = await testApp(context)
  const known = new Set([...libraryTables.map(({ name }) => name), ...Object.keys(leftOut)])
  const tables = (await services.db.introspection.getTables()).map(({ name }) => name)
  const unknown = tables.filter(
    (name) => !known.has(name) && !/^search_documents_/.test(name) && name !== 'sqlite_sequence',
  )
  assert.deepEqual(unknown, [], 'name these tables in library-tables.ts')
  await loadLibraryColumns(services.db)
})

onEveryStorage('a backup, a reset and a restore bring back every row and every byte', async (context, settings) => {
  const product = await testApp(context, settings)
  const { admin, other } = await fill(product)
  const before = await everything(product)
  const backup = await makeBackup(admin)
  assert.equal(backup.type, 'manual')
  assert.equal(backup.mediaCount, 3)
  assert.equal(backup.userCount, 2)
  assert.equal(backup.collectionCount, 1)

  assert.equal((await admin.post('/api/admin/database/reset')).statusCode, 200)
  assert.equal((await admin.get('/api/media')).json().pagination.totalCount, 0)
  assert.equal((await admin.get('/api/admin/users')).json().length, 1)
  assert.equal((await other.get('/api/user')).statusCode, 401)
  await removeAllBytes(product)

  const listed = (await admin.get('/api/admin/backups')).json().backups
  assert.deepEqual(
    listed.map(({ id }: Backup) => id),
    [backup.id],
  )
  const progress = await restore(product, admin, backup.id)
  assert.deepEqual(progress, { progress: 100, message: 'Restore complete', step: 'Complete', isRestoring: false })
  assert.deepEqual(await everything(product), before)
  assert.equal((await admin.get('/api/user')).statusCode, 200, 'the acting admin is still signed in')
  assert.equal((await admin.get('/api/media?search=überbl')).json().media.length, 2, 'what was restored is found')
  const { statusCode } = await other.post('/api/login', {
    username: (await admin.get('/api/admin/users')).json()[1].username,
    password: 'correct horse',
  })
  assert.equal(statusCode, 200, 'a restored user can sign in')
  await admin.addPicture('after.jpg')
})

test('restoring puts back what was changed and takes away what was added, and says so before', async (context) => {
  const product = await testApp(context)
  const { admin, other, first, second } = await fill(product)
  const before = await everything(product)
  const backup = await makeBackup(admin)
  await admin.patch(`/api/media/${first.id}`, { filename: 'renamed.jpg' })
  await other.delete(`/api/media/${second.id}`)
  await admin.addPicture('new.jpg')
  await product.register()

  const preview = (await admin.get(`/api/admin/backups/${backup.id}/preview`)).json()
  assert.equal(preview.message, 'adds 1, replaces 1, removes 1')
  assert.deepEqual(preview.users, { adds: 0, replaces: 0, removes: 1, keeps: 2 })
  assert.equal((await restore(product, admin, backup.id)).step, 'Complete')
  assert.deepEqual(await everything(product), before)
  assert.equal((await other.get('/api/user')).statusCode, 401, 'sessions of others have ended')
  const backups: Backup[] = (await admin.get('/api/admin/backups')).json().backups
  assert.equal(backups.length, 2)
  assert.match(backups[0]!.note ?? '', /^Made before the backup of/)

  assert.equal((await restore(product, admin, backups[0]!.id)).step, 'Complete', 'the safety backup undoes the restore')
  assert.equal((await admin.get('/api/media')).json().pagination.totalCount, 3)
})

test('a second backup of an unchanged library costs only its rows', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const first = await makeBackup(admin)
  const second = await makeBackup(admin)
  assert.ok(first.newBytes > second.newBytes)
  assert.equal(second.size - second.newBytes, first.size - (await rowBytes(product, first.id)))
})

async function rowBytes({ services }: TestApp, id: string) {
  return (await services.backupFolder.readManifest(id))!.database.bytes
}

test('a backup that is made while files come and go fits together', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  for (let round = 0; round < 3; round++) {
    const coming = Array.from({ length: 4 }, (_, index) => admin.addPicture(`${round}-${index}.jpg`))
    const [backup] = await Promise.all([makeBackup(admin), admin.post(`/api/media/${first.id}/copy`), ...coming])
    assert.equal(backup.missingCount, 0)
    await proveNewestBackup(product.services)
  }
})

test('backups are found by their folder alone', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const backup = await makeBackup(admin)
  await product.services.db.deleteFrom('backups').execute()
  const [found] = (await admin.get('/api/admin/backups')).json().backups
  assert.deepEqual(found, backup)
})

test('a damaged backup is not restored, and nothing changes', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  const backup = await makeBackup(admin)
  const path = product.services.backupFolder.documentPath(backup.id)
  const bytes = await readFile(path)
  bytes[bytes.length >> 1]! ^= 0xff
  await writeFile(path, bytes)
  await admin.patch(`/api/media/${first.id}`, { filename: 'kept.jpg' })
  const before = await everything(product)
  const progress = await restore(product, admin, backup.id)
  assert.equal(progress.step, 'Error')
  assert.match(progress.message, /damaged/)
  assert.equal(progress.isRestoring, false)
  assert.deepEqual(await everything(product), before)
  await admin.addPicture('goes-on.jpg')
})

test('a backup that has lost a file is not restored while the library lacks it too', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  const backup = await makeBackup(admin)
  const { blob } = await product.services.db
    .selectFrom('media')
    .select('blob')
    .where('id', '=', first.id)
    .executeTakeFirstOrThrow()
  await rm(product.services.backupFolder.blobPath(blob))
  await product.services.storage.remove(blob)
  const progress = await restore(product, admin, backup.id)
  assert.equal(progress.step, 'Error')
  assert.match(progress.message, /1 of its files/)
})

test('when no safety backup can be made, the restore says so and can be begun without one', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const backup = await makeBackup(admin)
  const fault = context.mock.method(product.services.backupFolder, 'startSnapshot', () =>
    Promise.reject(new Error('disk')),
  )
  const progress = await restore(product, admin, backup.id)
  assert.match(progress.message, /You can restore without one/)
  const answer = await admin.post(`/api/admin/backups/${backup.id}/restore`, { skipSafetyBackup: true })
  assert.equal(answer.statusCode, 200)
  await product.settled()
  fault.mock.restore()
  assert.equal((await admin.get('/api/admin/backups/restore-progress')).json().step, 'Complete')
})

test('while a restore runs, changes are refused with 503 and reads go on', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const backup = await makeBackup(admin)
  const gate = Promise.withResolvers<void>()
  const { storage } = product.services
  const stat = storage.stat
  context.mock.method(storage, 'stat', async (sha256: string) => {
    await gate.promise
    return stat(sha256)
  })
  await admin.post(`/api/admin/backups/${backup.id}/restore`, { skipSafetyBackup: true })
  const refused = await admin.post('/api/collections', { name: 'Lost' })
  assert.equal(refused.statusCode, 503)
  assert.equal(refused.headers['retry-after'], '5')
  assert.equal((await product.visitor().post('/api/login', { username: 'a', password: 'b' })).statusCode, 503)
  assert.equal((await admin.get('/api/collections')).json().length, 1)
  assert.equal((await admin.get('/api/admin/backups/restore-progress')).json().isRestoring, true)
  gate.resolve()
  await product.settled()
  assert.equal((await admin.post('/api/collections', { name: 'Kept' })).statusCode, 201)
})

test('automatic backups: one a turn, the newest seven, the last one stays', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const day = 24 * 3600_000
  const now = Date.UTC(2026, 10, 15, 4)
  for (let index = 0; index < 9; index++) {
    await makeAutomaticBackup(product.services, undefined, now + index * day)
    await makeAutomaticBackup(product.services, undefined, now + index * day + 3600_000)
  }
  let backups: Backup[] = (await admin.get('/api/admin/backups')).json().backups
  assert.equal(backups.length, 7)
  assert.ok(backups.every(({ type }) => type === 'automatic'))
  for (const { id } of backups.slice(1)) assert.equal((await admin.delete(`/api/admin/backups/${id}`)).statusCode, 200)
  const last = await admin.delete(`/api/admin/backups/${backups[0]!.id}`)
  assert.equal(last.statusCode, 409)
  backups = (await admin.get('/api/admin/backups')).json().backups
  assert.equal(backups.length, 1)
})

test('two processes at the same turn make one automatic backup', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const now = Date.UTC(2026, 10, 15, 4)
  await Promise.all([1, 2, 3].map(() => makeAutomaticBackup(product.services, undefined, now)))
  const { backups } = (await admin.get('/api/admin/backups')).json()
  assert.equal(backups.length, 1)
  assert.deepEqual(await readdir(join(product.directory, 'backups', 'snapshots')), [backups[0].id])
})

test('the first automatic backup comes by itself within a minute, once over restarts', async (context) => {
  const product = await testApp(context)
  await product.restart()
  const jobs = await product.services.db.selectFrom('jobs').selectAll().where('kind', '=', 'automatic-backup').execute()
  assert.equal(jobs.length, 1)
  assert.ok(jobs[0]!.run_at <= Date.now() + 60_000)
})

test('the frequency is daily until an administrator changes it', async (context) => {
  const product = await testApp(context)
  const admin = await product.register()
  assert.deepEqual((await admin.get('/api/admin/backup-frequency')).json(), { frequency: 'daily' })
  const { frequencies } = (await admin.get('/api/admin/backup-frequencies')).json()
  assert.deepEqual(
    frequencies.map(({ value }: { value: string }) => value),
    ['12hours', 'daily', 'weekly'],
  )
  assert.equal((await admin.post('/api/admin/backup-frequency', { frequency: 'hourly' })).statusCode, 400)
  assert.equal((await admin.post('/api/admin/backup-frequency', { frequency: 'weekly' })).statusCode, 200)
  await product.restart()
  assert.deepEqual((await admin.get('/api/admin/backup-frequency')).json(), { frequency: 'weekly' })
})

test('a drill proves the newest backup, or says what is wrong with it', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  const backup = await makeBackup(admin)
  await proveNewestBackup(product.services)
  const [proven] = (await admin.get('/api/admin/backups')).json().backups
  assert.equal(proven.id, backup.id)
  assert.ok(proven.provenAt)
  const { blob } = await product.services.db
    .selectFrom('media')
    .select('blob')
    .where('id', '=', first.id)
    .executeTakeFirstOrThrow()
  const path = product.services.backupFolder.blobPath(blob)
  await rm(path)
  await writeFile(path, 'something else')
  await assert.rejects(proveNewestBackup(product.services), /is not what it was/)
})

test('files that no backup needs any more are swept, the others stay', async (context) => {
  const product = await testApp(context)
  const { admin, other, second } = await fill(product)
  const old = await makeBackup(admin)
  await other.delete(`/api/media/${second.id}`)
  const fresh = await makeBackup(admin)
  await admin.delete(`/api/admin/backups/${old.id}`)
  const { backupFolder } = product.services
  assert.equal(await sweepBackups(backupFolder), 0, 'young files are left alone')
  assert.equal(await sweepBackups(backupFolder, -60_000), 1)
  assert.equal((await restore(product, admin, fresh.id)).step, 'Complete')
})

test('a file that the library has lost does not keep the others from being backed up', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  const { blob } = await product.services.db
    .selectFrom('media')
    .select('blob')
    .where('id', '=', first.id)
    .executeTakeFirstOrThrow()
  await product.services.storage.remove(blob)
  const backup = await makeBackup(admin)
  assert.equal(backup.missingCount, 1)
  assert.equal((await restore(product, admin, backup.id)).step, 'Complete')
  assert.equal((await admin.get(`/api/media/${first.id}`)).statusCode, 200)
})

test('the complete ZIP restores the library on another machine', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const before = await everything(product)
  const download = await admin.get('/api/admin/backup/download')
  assert.equal(download.statusCode, 200)
  assert.equal(download.headers['cache-control'], 'no-store')
  assert.match(String(download.headers['content-disposition']), /albumen-backup-.*\.zip/)

  const elsewhere = await testApp(context)
  const stranger = await elsewhere.register()
  const upload = multipart([{ name: 'backup.zip', bytes: download.rawPayload }], {}, 'backup')
  const answer = await stranger.send({ method: 'POST', url: '/api/admin/backup/upload', ...upload })
  assert.equal(answer.statusCode, 200, answer.body)
  assert.deepEqual(answer.json().restored, { users: 2, media: 3, collections: 1 })
  const after = await everything(elsewhere)
  assert.deepEqual(after.bytes, before.bytes)
  assert.deepEqual(after.rows.media, before.rows.media)
  assert.equal(after.rows.users!.length, 3, 'whoever restored it is still there')
  assert.equal((await stranger.get('/api/user')).json().isAdmin, true)
  for (const { directory } of [product, elsewhere]) {
    assert.deepEqual(await readdir(join(directory, 'backups', 'tmp')), [], 'nothing is left behind')
  }
})

test('a listed backup is downloaded as the same kind of ZIP', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const backup = await makeBackup(admin)
  const download = await admin.get(`/api/admin/backups/${backup.id}/download`)
  const upload = multipart([{ name: 'b.ZIP', bytes: download.rawPayload }], {}, 'backup')
  await admin.post('/api/admin/database/reset')
  const answer = await admin.send({ method: 'POST', url: '/api/admin/backup/upload', ...upload })
  assert.equal(answer.statusCode, 200, answer.body)
  assert.equal((await admin.get('/api/media')).json().pagination.totalCount, 2)
})
