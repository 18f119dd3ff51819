import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { makePhoto, makePng } from '#tests/support/pictures.ts'
import { until } from '#tests/support/until.ts'
import { withImageKit } from './imagekit.fixture.ts'
import { tidyImageKit } from './tidy.ts'

const traces = ['Canon', '2024:05:06', 'Exif', 'GPS']
const tracesIn = (bytes: Uint8Array) => traces.filter((trace) => Buffer.from(bytes).includes(trace))

/**
 * Uploads a public photograph with location and camera, copies it to ImageKit, and returns the address of its public copy.
 */
async function withPublicCopy(context: TestContext) {
  const all = await withImageKit(context)
  const { imageKit, admin, migrate } = all
  const photo = await admin.addPicture('photo.jpg', await makePhoto())
  await admin.post(`/api/media/${photo.id}/public`)
  await migrate()
  const shown = [...imageKit.files.values()].find(({ isPrivate }) => !isPrivate)!
  const address = `${imageKit.settings.IMAGEKIT_URL_ENDPOINT}${shown.filePath}`
  return { ...all, photo, address }
}

/** The cleanup runs in the background after the change, so the address is polled. */
const untilGone = (address: string) => until(`${address} is gone`, async () => (await fetch(address)).status === 404)

test('a public copy contains no location, time or camera, and the private file has every byte', async (context) => {
  const { imageKit, address, photo, admin } = await withPublicCopy(context)
  const bytes = (await admin.get(photo.originalUrl)).rawPayload
  assert.ok(tracesIn(bytes).length > 2)
  const open = await fetch(address)
  assert.equal(open.status, 200)
  const seen = new Uint8Array(await open.arrayBuffer())
  assert.deepEqual(tracesIn(seen), [])
  assert.ok(seen.length > 0)
  const hidden = [...imageKit.files.values()].find(({ isPrivate }) => isPrivate)!
  assert.ok(hidden.bytes.equals(bytes))
})

for (const [how, change] of Object.entries({
  'made private': (id: number) => ['DELETE', `/api/media/${id}/public`] as const,
  'moved to the trash': (id: number) => ['POST', '/api/media/bulk-trash', { mediaIds: [id] }] as const,
  'permanently deleted': (id: number) => ['DELETE', `/api/media/${id}`] as const,
})) {
  test(`the public copy of an item that is ${how} is removed at once, also from the caches`, async (context) => {
    const { imageKit, address, photo, admin, stored } = await withPublicCopy(context)
    const [method, url, payload] = change(photo.id)
    assert.ok((await admin.send({ method, url, payload })).statusCode < 300)
    await untilGone(address)
    assert.deepEqual(stored(), ['private photo.jpg'])
    await until('the caches are purged', () => imageKit.purged.length > 0)
    assert.deepEqual(imageKit.purged, [address])
  })
}

test('the public copies of a deleted user are removed at once', async (context) => {
  const { imageKit, product, admin, migrate } = await withImageKit(context)
  const person = await product.register()
  const photo = await person.addPicture('photo.jpg', await makePhoto())
  await person.post(`/api/media/${photo.id}/public`)
  await migrate()
  const { filePath } = [...imageKit.files.values()].find(({ isPrivate }) => !isPrivate)!
  assert.equal((await admin.delete(`/api/admin/users/${person.id}`)).statusCode, 200)
  await untilGone(`${imageKit.settings.IMAGEKIT_URL_ENDPOINT}${filePath}`)
})

test('an item whose bytes were replaced gets a new public copy, and the old one is removed', async (context) => {
  const { photo, admin, migrate, stored, address } = await withPublicCopy(context)
  const answer = await admin.post(`/api/media/${photo.id}/convert-webp`, { quality: 50, deleteOriginal: true })
  assert.ok(answer.statusCode < 300, answer.body)
  await migrate()
  await untilGone(address)
  assert.deepEqual(
    stored().filter((line) => line.startsWith('public')),
    ['public photo.webp'],
  )
})

test('a public copy that could not be removed while ImageKit was unreachable is removed later', async (context) => {
  const { imageKit, product, photo, admin, address } = await withPublicCopy(context)
  Object.assign(imageKit.behavior, { failures: 1000, failWith: 503 })
  await admin.delete(`/api/media/${photo.id}/public`)
  const services = { ...product.services, imageKit: product.services.imageKit! }
  const tidy = () => tidyImageKit(services, new AbortController().signal)
  await tidy()
  assert.equal((await fetch(address)).status, 200)
  imageKit.resetBehavior()
  await tidy()
  assert.equal((await fetch(address)).status, 404)
})

test('a public copy that is marked for removal while it is being sent is removed, even if it arrives late', async (context) => {
  const { imageKit, product, admin, migrate, stored } = await withImageKit(context)
  const services = { ...product.services, imageKit: product.services.imageKit! }
  const tidy = () => tidyImageKit(services, new AbortController().signal)
  const { db } = services
  const photo = await admin.addPicture('photo.jpg')
  await admin.post(`/api/media/${photo.id}/public`)
  let late: Parameters<typeof imageKit.files.set> | undefined
  imageKit.behavior.onDeliver = async () => {
    late = [...imageKit.files].find(([, { isPrivate }]) => !isPrivate)
    await db.updateTable('imagekit_objects').set({ state: 'leaving' }).where('kind', '=', 'public').execute()
  }
  assert.equal((await migrate()).failed, 1)
  assert.deepEqual(stored(), ['private photo.jpg'])
  imageKit.files.set(...late!)
  await tidy()
  assert.deepEqual(stored(), ['private photo.jpg'])
  await db.updateTable('imagekit_objects').set({ created_at: 0 }).execute()
  await tidy()
  const known = await db.selectFrom('imagekit_objects').select('kind').execute()
  assert.deepEqual(known, [{ kind: 'original' }], 'after an hour no late upload can arrive')
})

test('an item that is made private while its private file is being sent gets no public copy', async (context) => {
  const { imageKit, admin, migrate, stored } = await withImageKit(context)
  const photo = await admin.addPicture('photo.jpg')
  await admin.post(`/api/media/${photo.id}/public`)
  imageKit.behavior.onUpload = async () => void (await admin.delete(`/api/media/${photo.id}/public`))
  await migrate()
  assert.deepEqual([imageKit.behavior.uploads, stored()], [1, ['private photo.jpg']])
})

test('a private file is removed when no item uses its bytes any more', async (context) => {
  const { imageKit, product, admin, migrate } = await withImageKit(context)
  const picture = await admin.addPicture('a.png', await makePng())
  await migrate()
  await admin.delete(`/api/media/${picture.id}`)
  await product.services.db.deleteFrom('blobs').execute()
  await tidyImageKit({ ...product.services, imageKit: product.services.imageKit! }, new AbortController().signal)
  assert.equal(imageKit.files.size, 0)
})
