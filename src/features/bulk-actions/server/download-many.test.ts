import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { openZip } from '#engines/archive/read-zip.ts'
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

test('a selection comes as one ZIP file of originals, in its order, each under a name of its own; nobody else gets it', async (context) => {
  const product = await testApp(context)
  const [ann, bob] = [await product.register(), await product.register()]
  const bytes = await makeJpeg({ width: 90, height: 60 })
  const first = await ann.addPicture('beach.jpg', bytes)
  const second = await ann.addPicture('Beach.jpg')
  const his = await bob.addPicture('his.jpg')
  const wish = { mediaIds: [second.id, first.id, his.id, first.id] }
  assert.equal((await product.visitor().post('/api/media/download', wish)).statusCode, 401)
  assert.equal((await ann.post('/api/media/download', { mediaIds: [his.id] })).statusCode, 404)
  assert.equal((await ann.post('/api/media/download', { mediaIds: [] })).statusCode, 400)

  const prepared = await ann.post('/api/media/download', wish)
  assert.equal(prepared.statusCode, 201, prepared.body)
  const { downloadUrl, ...facts } = prepared.json()
  assert.deepEqual(facts, { items: 2, bytes: first.size + second.size })
  assert.equal((await bob.get(downloadUrl)).statusCode, 404)
  assert.equal((await product.visitor().get(downloadUrl)).statusCode, 401)
  assert.equal((await ann.get('/api/media/download/none')).statusCode, 400)
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
    .updateTable('bulk_runs')
    .set({ created_at: Date.now() - 61 * 60 * 1000 })
    .execute()
  assert.equal((await ann.get(downloadUrl)).statusCode, 404, 'it is good for an hour')
})

test('an item that is gone meanwhile is passed over, and one whose file cannot be read is named', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const media = [await ann.addPicture('gone.jpg'), await ann.addPicture('lost.jpg'), await ann.addPicture('there.jpg')]
  const { downloadUrl } = (await ann.post('/api/media/download', { mediaIds: media.map(({ id }) => id) })).json()
  await ann.delete(`/api/media/${media[0]!.id}`)
  const { db, storage } = product.services
  const lost = await db.selectFrom('media').select('blob').where('filename', '=', 'lost.jpg').executeTakeFirstOrThrow()
  await storage.remove(lost.blob)
  const zip = await unzip(context, (await ann.get(downloadUrl)).rawPayload)
  assert.deepEqual(
    zip.entries.map(({ name }) => name),
    ['there.jpg', 'Missing files.txt'],
  )
  assert.match(await text(await zip.read(zip.entries[1]!)), /lost\.jpg/)
})
