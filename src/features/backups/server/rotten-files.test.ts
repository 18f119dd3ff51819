import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { blobKey } from '#engines/storage/keys.ts'
import { multipart } from '#tests/support/multipart.ts'
import { makePhoto } from '#tests/support/pictures.ts'
import { testApp } from '#tests/support/test-app.ts'
import { everything, fill, makeBackup, removeAllBytes, restore } from './backups.fixture.ts'
import { createBackup } from './backups.ts'
import { proveNewestBackup } from './drill.ts'
import { openPacked, packTo } from './folder/snapshots.ts'
import { blobOf, lostIn, rot, rotAlone } from './rot.fixture.ts'
import { sweepBackups } from './sweep.ts'

test('a file uploaded again while a backup misses it is not reported as lost', async (context) => {
  const product = await testApp(context)
  const { services } = product
  const admin = await product.register()
  const bytes = await makePhoto()
  const picture = await admin.addPicture('photo.jpg', bytes)
  await product.settled()
  await removeAllBytes(product)
  const withLocalFile: typeof services.storage.withLocalFile = async (sha256, use) => {
    const missed = services.storage.withLocalFile(sha256, use)
    await Promise.allSettled([missed])
    await admin.addPicture('again.jpg', bytes)
    return missed
  }
  const storage = { ...services.storage, withLocalFile }
  assert.equal((await createBackup({ ...services, storage }, { type: 'manual' })).missingFiles, 1)
  assert.deepEqual(await lostIn(admin), [])
  assert.equal((await admin.get(picture.originalUrl)).statusCode, 200)
})

test('a drill proves the newest backup, and replaces rotten files from the library', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  const before = await everything(product)
  const backup = await makeBackup(admin)
  const path = product.services.backupFolder.blobPath(await blobOf(product, first.id))
  await rotAlone(path)
  await proveNewestBackup(product.services)
  const [proven] = (await admin.get('/api/admin/backups')).json().backups
  assert.deepEqual([proven.id, proven.provenAt !== null], [backup.id, true])
  assert.equal((await readdir(dirname(path))).length, 1, 'what was set aside is gone')
  await admin.post('/api/admin/database/reset')
  await removeAllBytes(product)
  assert.equal((await restore(product, admin, backup.id)).message, 'Restore complete')
  assert.deepEqual(await everything(product), before)
})

test('a drill whose scratch database cannot be opened leaves no files', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  await makeBackup(admin)
  const { backupFolder } = product.services
  // Longer than SQLite's maximum path length.
  const folder = join(backupFolder.temporaryPath(), ...Array(3).fill('a'.repeat(200)))
  await mkdir(dirname(folder), { recursive: true })
  const services = { ...product.services, backupFolder: { ...backupFolder, temporaryPath: () => folder } }
  await assert.rejects(proveNewestBackup(services), /unable to open database file/)
  assert.deepEqual(await readdir(dirname(folder)), [])
})

test('a backup of an earlier version with other columns can be proven and previewed', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  const { id } = await makeBackup(admin)
  const { backupFolder } = product.services
  const rows = await text(openPacked(backupFolder.documentPath(id)))
  const older = rows.replaceAll(/"is_favorite":\d,/g, '"bygone":1,').replaceAll(/"is_animated":\d,/g, '')
  assert.match(older, /"bygone":1,/)
  const database = await packTo(backupFolder.documentPath(id), Readable.from([older]), backupFolder.throwExplained)
  const manifestPath = join(dirname(backupFolder.documentPath(id)), 'manifest.json')
  const manifest = JSON.parse(await readFile(manifestPath, 'utf8'))
  await writeFile(manifestPath, JSON.stringify({ ...manifest, database }))
  await proveNewestBackup(product.services)
  assert.ok((await admin.get('/api/admin/backups')).json().backups[0].provenAt)
  const preview = async () => (await admin.get(`/api/admin/backups/${id}/preview`)).json()
  assert.equal((await preview()).message, 'adds 0, replaces 0, removes 0')
  await admin.patch(`/api/media/${first.id}`, { userDescription: 'Changed since' })
  assert.equal((await preview()).message, 'adds 0, replaces 1, removes 0')
})

test('a file that is rotten in the library too is reported by the drill, and missing in the next backup', async (context) => {
  const product = await testApp(context)
  const { admin, first, second } = await fill(product)
  await makeBackup(admin)
  const { backupFolder } = product.services
  const blob = await blobOf(product, first.id)
  await rot(backupFolder.blobPath(blob))
  await assert.rejects(proveNewestBackup(product.services), new RegExp(`1 of its files.*${blob}`))
  assert.equal((await lostIn(admin))[0], `${first.id} damaged`)
  const next = await makeBackup(admin)
  assert.equal(next.missingCount, 1)
  assert.deepEqual(await readdir(dirname(backupFolder.blobPath(blob))), [`${blob}.damaged`])
  assert.deepEqual(await backupFolder.listTemporary(), [])
  assert.equal((await restore(product, admin, next.id)).message, 'Restore complete')
  assert.equal((await admin.get(`/api/media/${first.id}`)).statusCode, 200)
  assert.equal(await blobOf(product, second.id).then((sha256) => backupFolder.isBlobWhole(sha256)), true)

  assert.equal(await sweepBackups(product.services, -60_000), 0, 'an older backup may still want what is left of it')
  for (const { id } of (await admin.get('/api/admin/backups')).json().backups)
    await admin.delete(`/api/admin/backups/${id}`)
  assert.equal(await sweepBackups(product.services, -60_000), 2)
})

test('a truncated file in the backup folder is replaced by the next backup', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  await makeBackup(admin)
  const path = product.services.backupFolder.blobPath(await blobOf(product, first.id))
  const bytes = await readFile(path)
  await rm(path)
  await writeFile(path, bytes.subarray(1))
  assert.equal((await makeBackup(admin)).missingCount, 0)
  assert.deepEqual(await readFile(path), bytes)
})

test('a file found damaged in the library is verified in the backup folder too', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  await makeBackup(admin)
  await rot(product.services.backupFolder.blobPath(await blobOf(product, first.id)))
  await admin.post('/api/admin/integrity-check')
  await product.settled()
  const next = await makeBackup(admin)
  assert.equal(next.missingCount, 1)
  await proveNewestBackup(product.services)
})

test('a lost file that the backup folder has is verified once per backup, however long that takes', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  await makeBackup(admin)
  await removeAllBytes(product)
  await admin.post('/api/admin/integrity-check')
  await product.settled()
  const { backupFolder } = product.services
  const read: string[] = []
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const setAsideUnlessWhole = (sha256: string) => {
    assert.ok(!read.includes(sha256), 'read before')
    read.push(sha256)
    context.mock.timers.tick(600_000)
    return backupFolder.setAsideUnlessWhole(sha256)
  }
  const services = { ...product.services, backupFolder: { ...backupFolder, setAsideUnlessWhole } }
  assert.equal((await createBackup(services, { type: 'manual' })).missingFiles, 0)
  assert.ok(read.includes(await blobOf(product, first.id)))
})

test('a restore sets a damaged file aside, and an uploaded ZIP brings it back', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  const before = await everything(product)
  const backup = await makeBackup(admin)
  const download = await admin.get(`/api/admin/backups/${backup.id}/download`)
  const path = product.services.backupFolder.blobPath(await blobOf(product, first.id))
  const upload = () =>
    admin.send({
      method: 'POST',
      url: '/api/admin/backup/upload',
      ...multipart([{ name: 'b.zip', bytes: download.rawPayload }], {}, 'backup'),
    })
  await admin.post('/api/admin/database/reset')
  await removeAllBytes(product)
  await rotAlone(path)
  assert.match((await restore(product, admin, backup.id)).message, /1 of its files is damaged or missing/)
  assert.equal(
    await product.services.backupFolder.hasBlob(path.slice(-64), (await readFile(`${path}.damaged`)).length),
    false,
  )
  assert.equal((await upload()).statusCode, 200)
  await removeAllBytes(product)
  await rotAlone(path)
  assert.equal((await upload()).statusCode, 200, 'even if the damaged file is recorded as intact')
  assert.deepEqual((await everything(product)).bytes, before.bytes)
})

test('the ZIP of a backup with a lost file has all the others and lists it as missing', async (context) => {
  const product = await testApp(context)
  const { admin, first, second } = await fill(product)
  const { backupFolder, storage } = product.services
  const backup = await makeBackup(admin)
  const [lost, kept] = [await blobOf(product, first.id), await blobOf(product, second.id)]
  const download = () => admin.get(`/api/admin/backups/${backup.id}/download`)
  await rm(backupFolder.blobPath(lost))
  const mended = await download()
  assert.match(String(mended.headers['content-disposition']), /-\d\d\.zip/, 'the library has the file')
  assert.equal(await backupFolder.isBlobWhole(lost), true)

  await rm(backupFolder.blobPath(lost))
  await storage.remove(lost)
  const partial = await download()
  assert.match(String(partial.headers['content-disposition']), /-1-files-missing\.zip/)
  const elsewhere = await testApp(context)
  const stranger = await elsewhere.register()
  const parts = multipart([{ name: 'b.zip', bytes: partial.rawPayload }], {}, 'backup')
  const answer = await stranger.send({ method: 'POST', url: '/api/admin/backup/upload', ...parts })
  assert.deepEqual(answer.json().restored, { users: 2, media: 3, collections: 1 }, answer.body)
  assert.deepEqual(
    [answer.json().message, answer.json().missingFiles],
    ['The backup was restored. 1 file was missing in it; their items are marked.', 1],
  )
  const blobs = await elsewhere.services.db.selectFrom('blobs').select(['sha256', 'state']).execute()
  const states = new Map(blobs.map(({ sha256, state }) => [sha256, state]))
  assert.deepEqual([states.get(lost), states.get(kept)], ['missing', 'ok'])
  const { backups } = (await stranger.get('/api/admin/backups')).json()
  assert.equal(backups.find(({ note }: { note: string }) => note === 'Uploaded').missingCount, 1)
  assert.deepEqual(await readdir(join(product.directory, 'backups', 'tmp')), [], 'nothing is left behind')
})

for (const which of ['listed', 'complete'] as const) {
  test(`a ZIP of a ${which} backup with a rotten file fails, and the next one has it repaired or lists it`, async (context) => {
    const product = await testApp(context)
    const { admin, first } = await fill(product)
    const { backupFolder, storage } = product.services
    const { id } = await makeBackup(admin)
    const blob = await blobOf(product, first.id)
    const download = () => admin.get(`/api/admin/${which === 'listed' ? `backups/${id}` : 'backup'}/download`)
    // A longer download would be aborted instead.
    const refused = async () => {
      const { statusCode, json } = await download()
      assert.equal(statusCode, 409)
      assert.match(json().message, /^This backup is damaged: one of its files is damaged\. Please try again/)
    }
    await rotAlone(backupFolder.blobPath(blob))
    await refused()
    assert.match(String((await download()).headers['content-disposition']), /-\d\d\.zip/)
    assert.equal(await backupFolder.isBlobWhole(blob), true)

    await rotAlone(backupFolder.blobPath(blob))
    await storage.remove(blob)
    await refused()
    assert.match(String((await download()).headers['content-disposition']), /-1-files-missing\.zip/)
  })
}

test('an interrupted restore leaves a damaged file marked for the next one', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  const { storage, backupFolder } = product.services
  const before = await everything(product)
  const backup = await makeBackup(admin)
  const blob = await blobOf(product, first.id)
  await rotAlone(join(product.directory, blobKey(blob)))
  await admin.post('/api/admin/integrity-check')
  await product.settled()
  const cut = context.mock.method(storage, 'adopt', () => Promise.reject(new Error('cut off')))
  await admin.post(`/api/admin/backups/${backup.id}/restore`, { skipSafetyBackup: true })
  await product.settled()
  assert.equal((await admin.get('/api/admin/backups/restore-progress')).json().step, 'Error')
  cut.mock.restore()
  assert.equal((await restore(product, admin, backup.id)).message, 'Restore complete')
  assert.deepEqual((await everything(product)).bytes, before.bytes)
  assert.equal(await backupFolder.isBlobWhole(blob), true)
})
