import assert from 'node:assert/strict'
import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { openZip } from '#engines/archive/read-zip.ts'
import { blobKey } from '#engines/storage/keys.ts'
import { unavailable } from '#platform/errors.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { testApp } from '#tests/support/test-app.ts'

async function unzip(context: TestContext, bytes: Buffer) {
  const path = join(await temporaryFolder(context), 'selection.zip')
  await writeFile(path, bytes)
  const zip = await openZip(path, { allowedName: /./, maxEntries: 10, maxBytes: 10_000_000 })
  context.after(() => zip[Symbol.asyncDispose]())
  return zip
}

test('a selection is downloaded as one ZIP file of originals with unique names, in order, and only by its owner', async (context) => {
  const product = await testApp(context)
  const [ann, bob] = [await product.register(), await product.register()]
  const bytes = await makeJpeg({ width: 90, height: 60 })
  const first = await ann.addPicture('beach.jpg', bytes)
  const second = await ann.addPicture('Beach.jpg')
  await ann.patch(`/api/media/${second.id}`, { filename: 'Beach' })
  const his = await bob.addPicture('his.jpg')
  const body = { mediaIds: [second.id, first.id, his.id, first.id] }
  assert.equal((await product.visitor().post('/api/media/download', body)).statusCode, 401)
  assert.equal((await ann.post('/api/media/download', { mediaIds: [his.id] })).statusCode, 404)
  assert.equal((await ann.post('/api/media/download', { mediaIds: [] })).statusCode, 400)

  const prepared = await ann.post('/api/media/download', body)
  assert.equal(prepared.statusCode, 201, prepared.body)
  const { downloadUrl, ...facts } = prepared.json()
  assert.deepEqual(facts, { items: 2, bytes: first.size + second.size })
  assert.equal((await bob.get(downloadUrl)).statusCode, 404)
  assert.equal((await product.visitor().get(downloadUrl)).statusCode, 401)
  assert.equal((await ann.get('/api/media/download/none')).statusCode, 400)
  const openings = context.mock.method(product.services.storage, 'open')
  assert.equal((await ann.send({ method: 'HEAD', url: downloadUrl })).statusCode, 405)
  assert.equal(openings.mock.callCount(), 0, 'a HEAD request reads no file')
  const answer = await ann.get(downloadUrl)
  assert.equal(answer.headers['content-type'], 'application/zip')
  assert.match(String(answer.headers['content-disposition']), /^attachment; filename="?albumen-[\d-]+\.zip"?$/)
  const { entries } = await unzip(context, answer.rawPayload)
  assert.deepEqual(
    entries.map(({ name, bytes }) => [name, bytes]),
    [
      ['Beach.jpg', second.size],
      ['beach (2).jpg', bytes.length],
    ],
  )
  assert.ok(answer.rawPayload.includes(bytes), 'the original as it was uploaded')

  await product.services.db
    .updateTable('prepared_downloads')
    .set({ created_at: Date.now() - 61 * 60 * 1000 })
    .execute()
  assert.equal((await ann.get(downloadUrl)).statusCode, 404, 'the download expires after an hour')
  await ann.post('/api/media/download', body)
  const kept = await product.services.db.selectFrom('prepared_downloads').select('id').execute()
  assert.ok(kept.length === 1 && !downloadUrl.endsWith(kept[0]!.id), 'expired downloads are removed')
})

test('a ZIP download skips items deleted in the meantime and names those whose file is missing or truncated', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const names = ['gone.jpg', 'lost.jpg', 'short.jpg', 'there.jpg']
  const media = []
  for (const name of names) media.push(await ann.addPicture(name))
  const { downloadUrl } = (await ann.post('/api/media/download', { mediaIds: media.map(({ id }) => id) })).json()
  await ann.delete(`/api/media/${media[0]!.id}`)
  const { db, storage } = product.services
  const rows = await db.selectFrom('media').select(['filename', 'blob']).execute()
  const blobOf = (name: string) => rows.find(({ filename }) => filename === name)!.blob
  await storage.remove(blobOf('lost.jpg'))
  await truncate(join(product.directory, blobKey(blobOf('short.jpg'))), 100)
  const zip = await unzip(context, (await ann.get(downloadUrl)).rawPayload)
  assert.deepEqual(
    zip.entries.map(({ name }) => name),
    ['there.jpg', 'Missing files.txt'],
  )
  assert.match(await text(await zip.read(zip.entries[1]!)), /:\nlost\.jpg\nshort\.jpg\n$/)

  context.mock.method(storage, 'open', async () => {
    throw unavailable('The storage service cannot be reached. Try again in a moment.')
  })
  const away = await ann.get(downloadUrl)
  assert.deepEqual(
    [away.statusCode, away.json().code],
    [503, 'unavailable'],
    'the download does not end as if it were complete',
  )
  assert.equal(away.headers['content-disposition'], undefined)
})
