import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { beginEdition } from '#features/media/server/library-pause.ts'
import { multipart } from '#tests/support/multipart.ts'
import { copyManyMedia } from '#tests/support/seed-library.ts'
import { testApp } from '#tests/support/test-app.ts'

// A response that is still streaming when the library is replaced: in the new library its ids may belong to another user.

/** Creates a user with more items than fit into one read. */
async function withMany(context: TestContext) {
  const product = await testApp(context)
  const [admin, ann] = [await product.register(), await product.register()]
  const { id } = await ann.addPicture('hers.jpg')
  return { product, admin, ann, mediaIds: await copyManyMedia(product.services.db, id, 101) }
}

test('a ZIP of originals that is being downloaded contains nothing of a library that replaces the current one', async (context) => {
  const { product, admin, ann, mediaIds } = await withMany(context)
  const { storage } = product.services
  const library = (await admin.get('/api/admin/database/download')).body
  const bytes = Buffer.from(library.replaceAll('copy 101.jpg', 'his.jpg'))
  const database = multipart([{ name: 'database.json', bytes }], {}, 'database')
  const { downloadUrl } = (await ann.post('/api/media/download', { mediaIds })).json()
  const { open } = storage
  const opening = context.mock.method(storage, 'open', async (...wanted: Parameters<typeof open>) => {
    opening.mock.restore()
    const replaced = await admin.send({ method: 'POST', url: '/api/admin/database/upload', ...database })
    assert.equal(replaced.statusCode, 200, replaced.body)
    return open(...wanted)
  })
  const received = ann.get(downloadUrl).then(({ body }) => assert.doesNotMatch(body, /his\.jpg/))
  await assert.rejects(received, /destroyed/, 'and the download fails visibly')
})

test('a document that is being exported contains nothing of a library that replaces the current one', async (context) => {
  const { product, ann, mediaIds } = await withMany(context)
  const { db, images } = product.services
  const { shrink } = images
  const shrinking = context.mock.method(images, 'shrink', async (...wanted: Parameters<typeof shrink>) => {
    shrinking.mock.restore()
    await db.transaction().execute(beginEdition)
    return shrink(...wanted)
  })
  await assert.rejects(ann.post('/api/media/export', { mediaIds, format: 'docx' }), /destroyed/)
})
