import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import sharp from 'sharp'
import { openZip } from '#engines/archive/read-zip.ts'
import { readWords } from '#engines/metadata/read-words.ts'
import { makePhoto, makePng, makeWebp } from '#tests/support/pictures.ts'
import { onEveryStorage } from '#tests/support/storages.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'

const wordsIn = async (file: Buffer) => readWords(await sharp(file).metadata())
const pixelsOf = (file: Uint8Array) => sharp(file).raw().toBuffer()
const words = {
  title: 'Pier',
  userDescription: 'By the sea',
  altTexts: { de: 'Ein Steg' },
  creator: 'Ann',
  credit: 'Ann Press',
  licence: 'CC BY 4.0',
  sourceUrl: 'https://example.com/pier',
  aiTags: ['sea'],
}
const written = {
  title: 'Pier',
  description: 'By the sea',
  keywords: ['sea'],
  creator: 'Ann',
  credit: 'Ann Press',
  rights: 'CC BY 4.0',
  source: 'https://example.com/pier',
  altTexts: { 'x-default': 'Ein Steg', de: 'Ein Steg' },
}

onEveryStorage(
  'the owner downloads an image with its words in it, and not one pixel differs',
  async (context, settings) => {
    const { register } = await testApp(context, settings)
    const ann = await register()
    for (const [name, bytes] of [
      ['photo.jpg', await makePhoto()],
      ['drawing.png', await makePng()],
      ['picture.webp', await makeWebp()],
    ] as const) {
      const media = await ann.addPicture(name, bytes)
      await ann.patch(`/api/media/${media.id}`, words)
      const address = `${media.originalUrl}?download=1&metadata=1`
      const file = await ann.get(address)
      assert.equal(file.statusCode, 200)
      assert.equal(Number(file.headers['content-length']), file.rawPayload.length)
      assert.deepEqual(await wordsIn(file.rawPayload), written, name)
      assert.deepEqual(await pixelsOf(file.rawPayload), await pixelsOf(bytes), name)
      const [from, to] = [5, file.rawPayload.length - 7]
      const part = await ann.get(address, { range: `bytes=${from}-${to}` })
      assert.equal(part.statusCode, 206)
      assert.deepEqual(part.rawPayload, file.rawPayload.subarray(from, to + 1), 'a download can be continued')
      assert.deepEqual((await ann.get(media.originalUrl)).rawPayload, Buffer.from(bytes), 'the stored file is the same')
    }
  },
)

test('a download with words has the present ones, and one without has none', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture('photo.jpg', await makePhoto())
  await ann.patch(`/api/media/${media.id}`, words)
  const address = `${media.originalUrl}?download=1&metadata=1`
  const first = await ann.get(address)
  assert.equal(first.headers['cache-control'], 'private, no-cache')
  await ann.patch(`/api/media/${media.id}`, { title: 'Jetty' })
  const second = await ann.get(address, { 'if-none-match': String(first.headers.etag) })
  assert.equal((await wordsIn(second.rawPayload)).title, 'Jetty')
  const without = (await ann.get(`${media.originalUrl}?download=1&metadata=0`)).rawPayload
  const { exif, xmp } = await sharp(without).metadata()
  assert.deepEqual([await wordsIn(without), exif, xmp], [{}, undefined, undefined])
})

test('the ZIP of a selection contains images with their words', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture('photo.jpg', await makePhoto())
  await ann.patch(`/api/media/${media.id}`, words)
  const { downloadUrl } = (await ann.post('/api/media/download', { mediaIds: [media.id] })).json()
  const path = join(await temporaryFolder(context), 'selection.zip')
  await writeFile(path, (await ann.get(downloadUrl)).rawPayload)
  await using zip = await openZip(path, { allowedName: /./, maxEntries: 10, maxBytes: 10_000_000 })
  assert.deepEqual(await wordsIn(await buffer(await zip.read(zip.entries[0]!))), written)
})

/** A public item in a collection of a website. */
async function publish(owner: TestUser, website: object) {
  await owner.post('/api/websites', { name: 'Harbor', languages: ['de'], ...website })
  const { id: collectionId } = (await owner.post('/api/collections', { name: 'Summer', company: 'Harbor' })).json()
  const media = await owner.addPicture('photo.jpg', await makePhoto())
  await owner.patch(`/api/media/${media.id}`, { ...words, licence: null })
  await owner.post(`/api/collections/${collectionId}/media/${media.id}`)
  const { publicUrlSlug } = (await owner.post(`/api/media/${media.id}/public`)).json()
  const { originalUrl } = media
  const addresses = [
    originalUrl,
    `${originalUrl}?w=320&format=jpeg`,
    `/i/${publicUrlSlug}`,
    `/i/${publicUrlSlug}.webp?w=320`,
  ]
  return { addresses, media }
}

test('visitors’ files state creator and license, and nothing else, if their website says so', async (context) => {
  const { register, visitor } = await testApp(context)
  const ann = await register()
  const { addresses } = await publish(ann, {
    statesRights: true,
    creator: 'Harbor Ltd',
    licence: 'All rights reserved',
  })
  for (const address of addresses) {
    const file = await visitor().get(address)
    assert.equal(file.statusCode, 200, address)
    assert.deepEqual(await wordsIn(file.rawPayload), { creator: 'Ann', rights: 'All rights reserved' }, address)
    assert.equal((await sharp(file.rawPayload).metadata()).exif, undefined)
    const again = await visitor().get(address, { 'if-none-match': String(file.headers.etag) })
    assert.equal(again.statusCode, 304)
  }
})

test('visitors’ files have no words while their website does not say so', async (context) => {
  const { register, visitor } = await testApp(context)
  const ann = await register()
  const { addresses, media } = await publish(ann, { creator: 'Harbor Ltd', licence: 'All rights reserved' })
  for (const address of [...addresses, `${media.originalUrl}?metadata=1`]) {
    const file = await visitor().get(address)
    assert.equal(file.statusCode, 200, address)
    assert.deepEqual(await wordsIn(file.rawPayload), {}, address)
  }
})
