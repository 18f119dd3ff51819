import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { blobKey } from '#engines/storage/keys.ts'
import { removeOrphans, tidyMedia } from '#features/media/server/janitor.ts'
import { limitConcurrency } from '#shared/concurrency.ts'
import { multipart } from '#tests/support/multipart.ts'
import { onEveryStorageAndDatabase } from '#tests/support/storages.ts'
import { testApp } from '#tests/support/test-app.ts'
import { until } from '#tests/support/until.ts'
import type { Backup } from '../../contract.ts'
import { everything, fill, makeBackup, removeAllBytes, restore } from '../backups.fixture.ts'
import { proveNewestBackup } from '../drill.ts'
import { snapshotIn } from '../folder/snapshots.ts'

import { blobOf, rot, rotAlone } from '../rot.fixture.ts'

onEveryStorageAndDatabase(
  'a backup, a reset and a restore bring back every row and every byte',
  async (context, settings) => {
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
    assert.deepEqual(progress, {
      progress: 100,
      message: 'Restore complete',
      step: 'Complete',
      isRestoring: false,
      healedFiles: 0,
      lostFiles: 0,
    })
    assert.deepEqual(await everything(product), before)
    assert.equal((await admin.get('/api/user')).statusCode, 200, 'the acting admin is still signed in')
    assert.equal((await admin.get('/api/media?search=überbl')).json().media.length, 2, 'what was restored is found')
    const { statusCode } = await other.post('/api/login', {
      username: (await admin.get('/api/admin/users')).json()[1].username,
      password: 'correct horse',
    })
    assert.equal(statusCode, 200, 'a restored user can sign in')
    await admin.addPicture('after.jpg')
  },
)

test('a restore reverts changes and removes additions, as its preview says', async (context) => {
  const product = await testApp(context)
  const { admin, other, first, second } = await fill(product)
  const before = await everything(product)
  const backup = await makeBackup(admin)
  await admin.patch(`/api/media/${first.id}`, { filename: 'renamed.jpg' })
  await other.delete(`/api/media/${second.id}`)
  await admin.addPicture('new.jpg')
  await product.register()

  const told: string[] = []
  product.services.events.subscribe(admin.id, undefined, (_id, { type }) => told.push(type))
  const preview = (await admin.get(`/api/admin/backups/${backup.id}/preview`)).json()
  assert.equal(preview.message, 'adds 1, replaces 1, removes 1')
  assert.deepEqual(preview.users, { adds: 0, replaces: 0, removes: 1, keeps: 2 })
  assert.equal((await restore(product, admin, backup.id)).step, 'Complete')
  await until('open pages are told to fetch everything', () => told.includes('reset'))
  assert.deepEqual(await everything(product), before)
  assert.equal((await other.get('/api/user')).statusCode, 401, 'sessions of others have ended')
  const backups: Backup[] = (await admin.get('/api/admin/backups')).json().backups
  assert.equal(backups.length, 2)
  const [day, time] = [backup.timestamp.slice(0, 10), backup.timestamp.slice(11, 16)]
  assert.equal(backups[0]!.note, `Created before restoring the backup from ${day}, ${time} UTC`)

  assert.equal((await restore(product, admin, backups[0]!.id)).step, 'Complete', 'the safety backup undoes the restore')
  assert.equal((await admin.get('/api/media')).json().pagination.totalCount, 3)
})

test('the bytes of items that a restore removes are gone within a minute', async (context) => {
  const product = await testApp(context)
  const { services, settled } = product
  const admin = await product.register()
  const kept = await admin.addPicture('kept.jpg')
  const backup = await makeBackup(admin)
  await admin.addPicture('removed.jpg')
  assert.equal((await restore(product, admin, backup.id)).step, 'Complete')
  await services.db.updateTable('schedules').set({ next_run_at: 0 }).where('kind', '=', 'remove-unused').execute()
  await settled()
  const blobs = await Array.fromAsync(services.storage.list(), ({ sha256 }) => sha256)
  assert.deepEqual(blobs, [await blobOf(product, kept.id)])
})

test('after a restore every client is told to refetch, and visitors see the restored library at once', async (context) => {
  const product = await testApp(context)
  const { admin, other, second: trashed } = await fill(product)
  const shown = await other.addPicture('shown.jpg')
  const { id } = (await other.post('/api/collections', { name: 'Shared' })).json()
  for (const media of [trashed, shown]) await other.post(`/api/collections/${id}/media/${media.id}`)
  const { publicSlug } = (await other.patch(`/api/collections/${id}/visibility`, { isPublic: true })).json()
  const seen = async (): Promise<number[]> => {
    const { media } = (await product.app.inject(`/api/public/collections/${publicSlug}`)).json()
    return media.map((item: { id: number }) => item.id)
  }
  assert.deepEqual(await seen(), [shown.id])
  const backup = await makeBackup(admin)
  await other.post('/api/media/bulk-trash', { mediaIds: [shown.id] })
  await other.post('/api/media/bulk-restore', { mediaIds: [trashed.id] })
  const told: string[] = []
  product.services.events.subscribe(other.id, undefined, (_id, { type }) => told.push(type))
  assert.deepEqual(await seen(), [trashed.id])
  assert.equal((await restore(product, admin, backup.id)).step, 'Complete')
  assert.deepEqual(await seen(), [shown.id])
  await until('open pages of others are told to fetch everything', () => told.includes('reset'))
})

test('a restore heals a library file that was damaged on the disk, and reports it', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  const before = await everything(product)
  const backup = await makeBackup(admin)
  await proveNewestBackup(product.services)
  await admin.post('/api/admin/integrity-check')
  await product.settled()
  await rotAlone(join(product.directory, blobKey(await blobOf(product, first.id))))
  const { step, healedFiles } = await restore(product, admin, backup.id)
  assert.deepEqual([step, healedFiles], ['Complete', 1])
  assert.deepEqual(await everything(product), before)
})

test('a restored ZIP file heals a library file that was damaged on the disk together with its backup', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  const before = await everything(product)
  const zip = (await admin.get('/api/admin/backup/download')).rawPayload
  // The backup folder has a hard link to the same file.
  await rot(join(product.directory, blobKey(await blobOf(product, first.id))))
  const upload = multipart([{ name: 'backup.zip', bytes: zip }], {}, 'backup')
  const answer = await admin.send({ method: 'POST', url: '/api/admin/backup/upload', ...upload })
  assert.equal(answer.statusCode, 200, answer.body)
  assert.equal(answer.json().healedFiles, 1)
  assert.deepEqual(await everything(product), before)
})

test('a change is accepted as soon as a restore is reported as complete', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const zip = (await admin.get('/api/admin/backup/download')).rawPayload
  const told = Promise.withResolvers<void>()
  // The job opens the gate only after this.
  context.mock.method(product.services.events, 'resetAll', () => told.promise)
  const upload = multipart([{ name: 'backup.zip', bytes: zip }], {}, 'backup')
  const answer = await admin.send({ method: 'POST', url: '/api/admin/backup/upload', ...upload })
  assert.equal(answer.statusCode, 200, answer.body)
  const changed = await admin.post('/api/collections', { name: 'Autumn' })
  told.resolve()
  assert.equal(changed.statusCode, 201, changed.body)
})

test('a damaged backup is refused and changes nothing', async (context) => {
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

  for (const what of ['users', 'media'] as const) {
    const other = await makeBackup(admin)
    const snapshot = snapshotIn(dirname(product.services.backupFolder.documentPath(other.id)))
    const manifest = (await snapshot.readManifest())!
    await snapshot.writeManifest({ ...manifest, [what]: manifest[what] + 1 })
    assert.match((await restore(product, admin, other.id)).message, /its counts are wrong/, what)
  }
})

test('a backup with lost files is restored only on request, unless the library has them', async (context) => {
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
  assert.match(progress.message, /1 of its files.*or restore it without them/)

  await admin.post('/api/admin/database/reset')
  const accepted = { skipSafetyBackup: true, acceptLostFiles: true }
  assert.equal((await admin.post(`/api/admin/backups/${backup.id}/restore`, accepted)).statusCode, 200)
  await product.settled()
  const { message, lostFiles } = (await admin.get('/api/admin/backups/restore-progress')).json()
  assert.deepEqual([message, lostFiles], ['Restore complete', 1])
  assert.equal((await admin.get('/api/media')).json().pagination.totalCount, 2, 'the others are back')
  const lost = (await admin.get(`/api/media/${first.id}`)).json()
  assert.equal((await admin.get(lost.originalUrl)).statusCode, 404)
  const { integrity } = (await admin.get('/api/admin/system')).json()
  assert.deepEqual([integrity.missing, integrity.affected[0].filename], [1, first.filename])
})

test('a restore replaces a rotten library file by the backup’s, even if it was recently checked', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  const before = await everything(product)
  const backup = await makeBackup(admin)
  const blob = await blobOf(product, first.id)
  const weekAgo = Date.now() - 8 * 24 * 3600_000
  await product.services.db.updateTable('blobs').set({ state: 'ok', checked_at: weekAgo }).execute()
  await rotAlone(join(product.directory, blobKey(blob)))
  await admin.post(`/api/admin/backups/${backup.id}/restore`, { skipSafetyBackup: true })
  await product.settled()
  assert.deepEqual((await everything(product)).bytes, before.bytes)
})

test('when the safety backup fails, the restore can be started without one', async (context) => {
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

test('files brought by a restore stay, however long it takes', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const before = await everything(product)
  const backup = await makeBackup(admin)
  await admin.post('/api/admin/database/reset')
  await removeAllBytes(product)
  const { storage } = product.services
  const { adopt } = storage
  const inTurn = limitConcurrency(1)
  let brought = 0
  context.mock.method(storage, 'adopt', (path: string) =>
    inTurn(async () => {
      // As if an hour had passed since the previous file.
      if (brought++ > 0) for (const tidy of [tidyMedia, removeOrphans]) await tidy(product.services, 0)
      return adopt(path)
    }),
  )
  assert.equal((await restore(product, admin, backup.id)).message, 'Restore complete')
  assert.equal(brought, 2)
  assert.deepEqual(await everything(product), before)
})

test('files brought by an import stay, however long it takes', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  await admin.addPicture('third.jpg')
  await makeBackup(admin)
  const before = await everything(product)
  const library = (await admin.get('/api/admin/database/download')).rawPayload
  await admin.post('/api/admin/database/reset')
  await removeAllBytes(product)
  const { storage } = product.services
  const { adopt } = storage
  const minutes = [0, 50, 30]
  const inTurn = limitConcurrency(1)
  context.mock.timers.enable({ apis: ['Date', 'setInterval'], now: Date.now() })
  context.mock.method(storage, 'adopt', (path: string) =>
    inTurn(async () => {
      context.mock.timers.tick(minutes.shift()! * 60_000)
      await tidyMedia(product.services, 3600_000)
      return adopt(path)
    }),
  )
  const upload = multipart([{ name: 'database.json', bytes: library }], {}, 'database')
  const answer = await admin.send({ method: 'POST', url: '/api/admin/database/upload', ...upload })
  assert.deepEqual([answer.statusCode, minutes.length], [200, 0], answer.body)
  assert.deepEqual((await everything(product)).bytes, before.bytes)
})

test('during a restore changes get 503 and reads continue', async (context) => {
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
