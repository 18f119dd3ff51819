import assert from 'node:assert/strict'
import { fstatSync } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { blobKey } from '#engines/storage/keys.ts'
import { rereadFiles } from '#features/media/server/check-files.ts'
import { failFileCalls, within } from '#tests/support/file-errors.ts'
import { insertManyMedia } from '#tests/support/seed-library.ts'
import { testApp } from '#tests/support/test-app.ts'
import { everything, fill, makeBackup, removeAllBytes, restore } from './backups.fixture.ts'
import { createBackup } from './backups.ts'
import { proveNewestBackup } from './drill.ts'
import { blobOf } from './rot.fixture.ts'

/** A disk that cannot read this file any more, under any of its names. */
async function failReading(context: TestContext, path: string, times = Number.POSITIVE_INFINITY) {
  const { ino } = await stat(path)
  const handle = await open(path)
  const prototype = Object.getPrototypeOf(handle)
  await handle.close()
  const { read } = prototype
  context.mock.method(prototype, 'read', function (this: typeof handle, ...given: unknown[]) {
    if (fstatSync(this.fd).ino !== ino || times-- <= 0) return read.apply(this, given)
    return Promise.reject(Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' }))
  })
}

test('an unreadable file stops no backup, no drill, no restore and no second download', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  const { id } = await makeBackup(admin)
  const blob = await blobOf(product, first.id)
  const restoreWith = async (choice: object) => {
    await admin.post(`/api/admin/backups/${id}/restore`, choice)
    await product.settled()
    return (await admin.get('/api/admin/backups/restore-progress')).json().message
  }
  await failReading(context, join(product.directory, blobKey(blob)))
  const download = async () => (await admin.get(`/api/admin/backups/${id}/download`)).headers['content-disposition']
  assert.equal(await download(), undefined)
  assert.match(String(await download()), /-1-files-missing\.zip/)
  assert.match(await restoreWith({ skipSafetyBackup: true }), /^This backup is damaged: 1 of its files/)

  await admin.post('/api/admin/integrity-check')
  await product.settled()
  const { integrity } = (await admin.get('/api/admin/system')).json()
  assert.deepEqual([integrity.affected[0].id, integrity.affected[0].state], [first.id, 'damaged'])
  const next = await makeBackup(admin)
  assert.equal(next.missingCount, 1)
  await proveNewestBackup(product.services)
  assert.equal(await restoreWith({ acceptLostFiles: true }), 'Restore complete')
})

test('a backup’s file that failed to be read or copied once keeps its name', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  const before = await everything(product)
  const { id } = await makeBackup(admin)
  const { backupFolder, storage } = product.services
  const blob = await blobOf(product, first.id)
  await removeAllBytes(product)
  await failReading(context, backupFolder.blobPath(blob), 1)
  await proveNewestBackup(product.services)

  const { adopt } = storage
  const writing = context.mock.method(storage, 'adopt', async (path: string) => {
    const { bytes } = await adopt(path)
    return { sha256: '0'.repeat(64), bytes }
  })
  await admin.post('/api/admin/database/reset')
  await removeAllBytes(product)
  const { message } = await restore(product, admin, id)
  assert.match(message, /^A file was intact in the backup and damaged after copying\. Check the disk/)
  writing.mock.restore()
  await removeAllBytes(product)
  assert.equal((await restore(product, admin, id)).message, 'Restore complete')
  assert.deepEqual(await everything(product), before)
})

test('a file that is deleted while it is backed up does not fail the backup', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  const { services } = product
  const gone = await blobOf(product, first.id)
  const withLocalFile: typeof services.storage.withLocalFile = (sha256, use) =>
    services.storage.withLocalFile(sha256, async (path) => {
      if (sha256 === gone) await rm(path, { force: true })
      return use(path)
    })
  const storage = { ...services.storage, withLocalFile }
  assert.equal((await createBackup({ ...services, storage }, { type: 'manual' })).missingFiles, 1)
  assert.equal((await admin.get('/api/admin/backups')).json().backups.length, 1)
})

test('permission errors of the library and of the backup folder are told apart', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const blobs = join(product.directory, 'blobs')
  const temporary = join(product.directory, 'backups', 'tmp')
  const create = async () => {
    const { statusCode, json } = await admin.post('/api/admin/backups/create')
    return [
      statusCode,
      json()
        .message.replaceAll(product.directory, '')
        .replace(/\w{64}/, '…'),
    ]
  }
  // A hard link shares its permissions.
  const allow = failFileCalls(
    context,
    (path, call) => call === 'open' && (path.startsWith(blobs) || dirname(path) === temporary),
  )
  const [status, message] = await create()
  assert.equal(status, 503, message)
  assert.match(message, /^A library file is not readable \(EACCES: .* '\/blobs\/.*'\)\. Let the user/)
  allow()

  failFileCalls(context, (path, call) => ['link', 'copyFile'].includes(call) && dirname(path) === temporary)
  const [otherStatus, otherMessage] = await create()
  assert.equal(otherStatus, 503, otherMessage)
  assert.match(otherMessage, /^BACKUP_DIR \(\/backups\) is not readable and writable \(EACCES\)/)
})

test('the check of an unreadable library lists a few files and counts all', async (context) => {
  const product = await testApp(context)
  const admin = await product.register()
  const { services } = product
  await insertManyMedia(services.db, admin.id, 12)
  failFileCalls(context, within(join(product.directory, 'blobs')))
  let named = 0
  context.mock.method(services.log, 'warn', (_fields: unknown, sentence: string) => {
    if (sentence === 'stored file was not readable') named++
  })
  const { signal } = new AbortController()
  await assert.rejects(rereadFiles(services, { startedAt: Date.now(), signal }), {
    message: /^12 files could not be read\. The log lists the first 10 with the reason\./,
  })
  assert.equal(named, 10)
})
