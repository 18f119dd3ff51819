import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openZip } from '#engines/archive/read-zip.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { downloadEntries } from './download.ts'
import { withSharedCollection } from './sharing.fixture.ts'

test('a collection downloads as one ZIP of the visitors’ files, with unique names', async (context) => {
  const { product, ann, visitor, id, slug, media } = await withSharedCollection(context)
  const twin = await ann.addPicture('picture-0.jpg')
  await ann.post(`/api/collections/${id}/media/${twin.id}`)
  await ann.patch(`/api/collections/${id}`, { name: 'Sun/Sea' })
  const opened = context.mock.method(product.services.storage, 'withLocalFile')
  const head = await visitor.send({ method: 'HEAD', url: `/public/collections/${slug}/download` })
  assert.deepEqual([head.statusCode, head.headers['content-type']], [200, 'application/zip'])
  assert.equal(head.headers['content-length'], undefined, 'the length is unknown in advance')
  assert.equal(opened.mock.callCount(), 0, 'a HEAD request opens no file')
  const answer = await visitor.get(`/public/collections/${slug}/download`)
  assert.equal(answer.headers['content-type'], 'application/zip')
  assert.match(String(answer.headers['content-disposition']), /^attachment; filename="?Sun_Sea\.zip"?$/)
  const path = join(await temporaryFolder(context), 'summer.zip')
  await writeFile(path, answer.rawPayload)
  await using zip = await openZip(path, { allowedName: /^picture/, maxEntries: 10, maxBytes: 1_000_000 })
  const { entries } = zip
  assert.deepEqual(entries.map(({ name }) => name).sort(), ['picture-0 (2).jpg', 'picture-0.jpg', 'picture-1.jpg'])
  const first = (await visitor.get(media[0]!.originalUrl)).rawPayload.length
  assert.equal(entries.find(({ name }) => name === 'picture-0.jpg')?.bytes, first)
})

test('a missing file does not keep the others out of the ZIP', async (context) => {
  const { product, ann, visitor, slug, media } = await withSharedCollection(context)
  const { db, storage } = product.services
  await ann.patch(`/api/media/${media[1]!.id}`, { filename: '~sprite.jpg' })
  const lost = db.selectFrom('media').select('blob').where('id', '=', media[0]!.id)
  await storage.remove((await lost.executeTakeFirstOrThrow()).blob)
  const answer = await visitor.get(`/public/collections/${slug}/download`)
  assert.equal(answer.statusCode, 200, answer.body)
  const path = join(await temporaryFolder(context), 'summer.zip')
  await writeFile(path, answer.rawPayload)
  await using zip = await openZip(path, { allowedName: /./, maxEntries: 10, maxBytes: 1_000_000 })
  assert.deepEqual(
    zip.entries.map(({ name }) => name),
    ['~sprite.jpg', 'Missing files.txt'],
  )
})

test('a running download stops including items that became unavailable to its visitor', async (context) => {
  const { product, ann, id, media } = await withSharedCollection(context)
  const begin = async () => {
    const rows = product.services.db.selectFrom('collections').selectAll().where('id', '=', id)
    const entries = downloadEntries(product.services, await rows.executeTakeFirstOrThrow())
    assert.equal((await entries.next()).value.name, media[0]!.filename)
    return entries
  }
  const membership = `/api/collections/${id}/media/${media[1]!.id}`
  const taken = await begin()
  await ann.delete(membership)
  assert.equal((await taken.next()).done, true, 'what was taken out of the collection stays away')
  await ann.post(membership)
  const unlocked = await begin()
  await ann.patch(`/api/collections/${id}/sharing`, { password: 'secret' })
  await assert.rejects(unlocked.next(), /no longer available for download/)
  await ann.patch(`/api/collections/${id}/sharing`, { password: null })
  const offered = await begin()
  await ann.patch(`/api/collections/${id}/sharing`, { allowsDownload: false })
  await assert.rejects(offered.next(), /no longer available for download/)
  await ann.patch(`/api/collections/${id}/sharing`, { allowsDownload: true })
  const open = await begin()
  await ann.patch(`/api/collections/${id}/visibility`, { isPublic: false })
  await assert.rejects(open.next(), /no longer available for download/)
})
