import assert from 'node:assert/strict'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { rereadFiles } from '#features/media/server/check-files.ts'
import { makePhoto } from '#tests/support/pictures.ts'
import { onEveryStorage, storedIn } from '#tests/support/storages.ts'
import { shortTimeout, withImageKit } from './imagekit.fixture.ts'

onEveryStorage('remote files are served like local ones and move back unchanged', async (context, settings) => {
  const { imageKit, product, admin, migrate, free, moveBack } = await withImageKit(context, settings)
  const bytes = await makePhoto()
  const picture = await admin.addPicture('photo.jpg', bytes)
  const { etag } = (await admin.get(picture.originalUrl)).headers
  await migrate()
  assert.equal((await storedIn(product)).blobs.length, 1, 'copying removes no local file')
  const freed = await free()
  assert.deepEqual([freed.migrated, freed.failed, freed.onlyThere], [1, 0, 1])
  assert.equal(freed.message, '1 file was removed locally and kept at ImageKit.')
  assert.deepEqual((await storedIn(product)).blobs, [])

  for (const delivery of [{ sendsLength: true }, { supportsRanges: false }, { sendsLength: false }]) {
    Object.assign(imageKit.behavior, delivery)
    const whole = await admin.get(picture.originalUrl)
    assert.deepEqual([whole.statusCode, whole.headers.etag], [200, etag])
    assert.ok(whole.rawPayload.equals(bytes))
    const part = await admin.get(picture.originalUrl, { range: 'bytes=100-199' })
    assert.deepEqual([part.statusCode, part.headers['content-range']], [206, `bytes 100-199/${bytes.length}`])
    assert.ok(part.rawPayload.equals(bytes.subarray(100, 200)))
    assert.equal((await admin.get(picture.originalUrl, { range: `bytes=${bytes.length}-` })).statusCode, 416)
  }
  assert.equal((await admin.get(picture.originalUrl, { 'if-none-match': String(etag) })).statusCode, 304)
  const stranger = await product.register()
  for (const person of [stranger, product.visitor()])
    assert.equal((await person.get(picture.originalUrl)).statusCode, 404, 'only its owner sees it')

  const back = await moveBack()
  assert.deepEqual([back.migrated, back.failed, back.copies, back.onlyThere], [1, 0, 0, 0])
  assert.equal(imageKit.files.size, 0)
  const { blobs } = await storedIn(product)
  assert.equal(blobs.length, 1)
  assert.ok((await admin.get(picture.originalUrl)).rawPayload.equals(bytes))

  await migrate()
  const damaged = join(product.directory, 'damaged')
  await writeFile(damaged, Buffer.alloc(bytes.length))
  await product.services.storage.primary.adopt(damaged, { sha256: blobs[0]!, bytes: bytes.length })
  assert.deepEqual([(await moveBack()).migrated, imageKit.files.size], [1, 0])
  assert.ok(
    (await admin.get(picture.originalUrl)).rawPayload.equals(bytes),
    'moving back replaces a damaged local file',
  )
})

test('a local file that is being read is removed after its reader is done', async (context) => {
  const { product, admin, migrate, free } = await withImageKit(context)
  await admin.addPicture()
  await migrate()
  const { db, storage } = product.services
  const { blob } = await db.selectFrom('media').select('blob').executeTakeFirstOrThrow()
  const asked = context.mock.method(storage, 'waitUntilUnread')
  const reading = Promise.withResolvers<void>()
  const reader = storage.withLocalFile(blob, () => reading.promise)
  const freeing = free()
  while (asked.mock.callCount() === 0) await new Promise(setImmediate)
  assert.equal((await storedIn(product)).blobs.length, 1)
  assert.equal((await admin.get('/api/admin/migrate-to-imagekit')).json().onlyThere, 0)
  reading.resolve()
  await reader
  const freed = await freeing
  assert.deepEqual([freed.failed, freed.onlyThere], [0, 1])
  assert.deepEqual((await storedIn(product)).blobs, [])
})

test('a local file that another process removes at the same moment counts as removed', async (context) => {
  const { imageKit, product, admin, migrate, free } = await withImageKit(context)
  await admin.addPicture()
  await migrate()
  const { blobs } = await storedIn(product)
  imageKit.behavior.onDeliver = async () => void (await product.services.storage.primary.remove(blobs[0]!))
  const freed = await free()
  assert.deepEqual([freed.migrated, freed.failed, freed.onlyThere], [0, 0, 1], freed.errors.join())
})

test('renditions, conversions, copies, exports and file checks work with remote files', async (context) => {
  const { imageKit, product, admin, migrate, free } = await withImageKit(context)
  const picture = await admin.addPicture('photo.jpg', await makePhoto())
  await migrate()
  await free()
  await product.services.storage.derived.remove(
    (await product.services.db.selectFrom('media').select('blob').executeTakeFirstOrThrow()).blob,
  )
  await product.restart()
  assert.equal((await admin.get(picture.thumbnailUrl)).statusCode, 200)
  assert.equal((await admin.get(`${picture.originalUrl}?w=320`)).statusCode, 200)
  await admin.post(`/api/media/${picture.id}/public`)
  const seen = await product.visitor().get(picture.originalUrl)
  assert.equal(seen.statusCode, 200)
  assert.ok(!seen.rawPayload.includes('Exif'))
  const copy = (await admin.post(`/api/media/${picture.id}/copy`)).json()
  assert.equal((await admin.get(copy.originalUrl)).statusCode, 200)
  const document = await admin.post('/api/media/export', { mediaIds: [picture.id], format: 'pdf' })
  assert.equal(document.statusCode, 200)
  await admin.post('/api/admin/integrity-check')
  await product.settled()
  const { integrity } = (await admin.get('/api/admin/system')).json()
  assert.deepEqual([integrity.damaged, integrity.missing], [0, 0])
  const converted = await admin.post(`/api/media/${copy.id}/convert-webp`, { quality: 60, deleteOriginal: false })
  assert.ok(converted.statusCode < 300, converted.body)
  assert.ok(imageKit.behavior.uploads > 0)
})

test('a file check does not download remote files, and does not look for local copies of files that are only remote', async (context) => {
  const { imageKit, product, admin, migrate, free } = await withImageKit(context)
  const { db, storage } = product.services
  await admin.addPicture('far.jpg')
  await migrate()
  await free()
  const lost = await admin.addPicture('lost-here.jpg')
  await migrate()
  const near = await admin.addPicture('near.jpg')
  const blobOf = async (id: number) =>
    (await db.selectFrom('media').select('blob').where('id', '=', id).executeTakeFirstOrThrow()).blob
  const [lostBlob, nearBlob] = [await blobOf(lost.id), await blobOf(near.id)]
  await storage.primary.remove(lostBlob)
  imageKit.behavior.onDeliver = () => assert.fail('ImageKit is paid for what it delivers')
  const looked = context.mock.method(storage.primary, 'stat')
  await rereadFiles(product.services, { startedAt: Date.now() + 1, signal: new AbortController().signal })
  const names = new Set(looked.mock.calls.map(({ arguments: [sha256] }) => sha256))
  assert.deepEqual([...names].sort(), [lostBlob, nearBlob].sort())
  const read = await db.selectFrom('blobs').select('sha256').where('checked_at', 'is not', null).execute()
  assert.deepEqual(read, [{ sha256: nearBlob }])
  assert.deepEqual((await admin.get('/api/admin/system')).json().integrity.affected, [])
  const { migrated, failed, onlyThere } = await free()
  assert.deepEqual([migrated, failed, onlyThere], [0, 0, 2], 'files missing locally are marked as remote only')
})

test('uploading bytes that were only remote stores them locally again', async (context) => {
  const { product, admin, migrate, free } = await withImageKit(context)
  const { db, storage } = product.services
  const bytes = await makePhoto()
  await admin.addPicture('photo.jpg', bytes)
  await migrate()
  assert.equal((await free()).onlyThere, 1)
  await admin.addPicture('again.jpg', bytes)
  assert.equal((await admin.get('/api/admin/migrate-to-imagekit')).json().onlyThere, 0)

  const { sha256 } = await db.selectFrom('blobs').select('sha256').executeTakeFirstOrThrow()
  const rotten = join(product.directory, 'rotten')
  await writeFile(rotten, Buffer.alloc(bytes.length))
  await storage.primary.adopt(rotten, { sha256, bytes: bytes.length })
  await rereadFiles(product.services, { startedAt: Date.now() + 1, signal: new AbortController().signal })
  const { integrity } = (await admin.get('/api/admin/system')).json()
  assert.equal(integrity.damaged, 1, 'the restored local files are checked again')
})

/** Creates five files that only ImageKit has. Returns which were requested and how many could be read. */
async function checkRemoteFiles(context: TestContext, delivers: (nth: number) => boolean) {
  const { imageKit, product, admin, migrate, free } = await withImageKit(context)
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg', 'e.jpg']) await admin.addPicture(name)
  await migrate()
  await free()
  const asked: string[] = []
  imageKit.behavior.delivers = (name) => {
    if (!asked.includes(name)) asked.push(name)
    return delivers(asked.indexOf(name))
  }
  await admin.post('/api/admin/integrity-check')
  await product.settled()
  const { integrity } = (await admin.get('/api/admin/system')).json()
  return { asked: asked.length, checked: integrity.checked }
}

test('a remote file that cannot be downloaded does not stop the check of the others', async (context) => {
  assert.deepEqual(await checkRemoteFiles(context, (nth) => nth !== 0), { asked: 5, checked: 4 })
})

test('a file check stops requesting files when ImageKit is unreachable', async (context) => {
  assert.deepEqual(await checkRemoteFiles(context, () => false), { asked: 3, checked: 0 })
})

test('a backup contains remote files and restores them without ImageKit', async (context) => {
  const { imageKit, product, admin, migrate, free } = await withImageKit(context)
  const bytes = await makePhoto()
  const picture = await admin.addPicture('photo.jpg', bytes)
  await migrate()
  await free()
  const { backup } = (await admin.post('/api/admin/backups/create')).json()
  assert.equal(backup.missingCount, 0)
  const zip = await admin.get('/api/admin/backup/download')
  assert.ok(zip.rawPayload.length > bytes.length)
  await admin.delete(`/api/media/${picture.id}`)
  imageKit.files.clear()
  await rm(join(product.directory, 'cache'), { recursive: true })
  await product.restart({ IMAGEKIT_PRIVATE_KEY: '', IMAGEKIT_URL_ENDPOINT: '' })
  assert.equal((await admin.post(`/api/admin/backups/${backup.id}/restore`)).statusCode, 200)
  await product.settled()
  assert.equal((await admin.get('/api/admin/backups/restore-progress')).json().step, 'Complete')
  assert.ok((await admin.get(picture.originalUrl)).rawPayload.equals(bytes))
  assert.equal((await admin.get('/api/admin/migrate-to-imagekit')).json().onlyThere, 0)
})

test('a local file with a damaged remote copy is not removed, and a damaged remote file is not moved back', async (context) => {
  const { imageKit, product, admin, migrate, free, moveBack } = await withImageKit(context)
  const picture = await admin.addPicture('photo.jpg')
  await migrate()
  const [remote] = imageKit.files.values()
  const good = Buffer.from(remote!.bytes)
  remote!.bytes[9]! ^= 0xff
  const kept = await free()
  assert.deepEqual([kept.migrated, kept.failed, kept.onlyThere], [0, 1, 0])
  assert.match(kept.errors[0], /^photo\.jpg: .*so the file was kept/)
  assert.equal((await storedIn(product)).blobs.length, 1)

  remote!.bytes = Buffer.from(good)
  await free()
  remote!.bytes[9]! ^= 0xff
  const refused = await moveBack()
  assert.deepEqual([refused.migrated, refused.failed, imageKit.files.size], [0, 1, 1])
  assert.match(refused.errors[0], /does not match the file, so it was kept there/)
  assert.deepEqual(await readdir(join(product.directory, 'tmp')), [])
  remote!.bytes = good
  assert.equal((await moveBack()).migrated, 1)
  assert.equal((await admin.get(picture.originalUrl)).statusCode, 200)

  await migrate()
  const { db, storage } = product.services
  const removed = context.mock.method(storage.primary, 'stat', async () => null)
  const raced = await moveBack()
  removed.mock.restore()
  assert.deepEqual(
    [raced.failed, imageKit.files.size],
    [1, 1],
    'a file that is removed locally at the same moment stays at ImageKit',
  )
  imageKit.behavior.onDeliver = async () => {
    await db.updateTable('imagekit_objects').set({ state: 'leaving' }).execute()
  }
  assert.deepEqual([(await free()).migrated, (await storedIn(product)).blobs.length], [0, 1], 'and vice versa')
})

test('a request for a remote file returns a message if ImageKit is unreachable or not configured', async (context) => {
  const { imageKit, product, admin, migrate, free } = await withImageKit(context)
  const picture = await admin.addPicture('photo.jpg')
  await migrate()
  await free()
  // The state after a crash between the rename at ImageKit and its local record.
  for (const remote of imageKit.files.values()) remote.filePath = remote.filePath.replace('photo', 'renamed')
  assert.equal((await admin.get(picture.originalUrl)).statusCode, 200)
  await product.restart(shortTimeout)
  imageKit.behavior.onDeliver = () => new Promise(() => {})
  const away = await admin.get(picture.originalUrl)
  assert.equal(away.statusCode, 502)
  assert.equal(away.json().message, 'ImageKit is not responding. Please try again later.')
  assert.doesNotMatch(String(away.headers['cache-control'] ?? ''), /immutable/)
  await product.restart({ IMAGEKIT_PRIVATE_KEY: '', IMAGEKIT_URL_ENDPOINT: '' })
  const alone = await admin.get(picture.originalUrl)
  assert.equal(alone.statusCode, 503)
  assert.match(alone.json().message, /set IMAGEKIT_PRIVATE_KEY and IMAGEKIT_URL_ENDPOINT/)
  const { health } = (await admin.get('/api/admin/system')).json()
  const { status, message } = health.find(({ name }: { name: string }) => name === 'ImageKit')
  assert.deepEqual([status, /1 file is stored only there/.test(message)], ['down', true])
  assert.equal((await admin.get(picture.thumbnailUrl)).statusCode, 200, 'its renditions are stored locally')
})
