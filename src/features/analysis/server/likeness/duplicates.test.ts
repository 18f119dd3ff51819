import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makePhoto } from '#tests/support/pictures.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'

type Product = Awaited<ReturnType<typeof testApp>>
type Page = { groups: { id: number; filename: string }[][]; total: number; next: number | null }

const dismissals = '/api/media/duplicates/dismissals'

const pageOf = async (user: TestUser, query = ''): Promise<Page> => {
  const answer = await user.get(`/api/media/duplicates${query}`)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json()
}

/** Adds an item with the same bytes, as if its file had been uploaded again. */
async function uploadAgain({ services }: Product, user: TestUser, id: number): Promise<number> {
  const copy = (await user.post(`/api/media/${id}/copy`)).json()
  await services.db.updateTable('media').set({ derived_from: null }).where('id', '=', copy.id).execute()
  return copy.id
}

test('groups of duplicates are paginated newest first, without repeats or gaps when some are trashed between pages', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const { db } = product.services
  const originals: number[] = []
  for (let index = 0; index < 5; index++) {
    const { id } = await ann.addPicture(`original ${index}.jpg`)
    // Test pictures resemble each other, so without hashes only copies are duplicates.
    await db.updateTable('media').set({ perceptual_hash: null }).where('id', '=', id).execute()
    originals.push(id)
  }
  for (const id of originals) await uploadAgain(product, ann, id)
  await db.updateTable('media').set({ perceptual_hash: null }).execute()

  const first = await pageOf(ann, '?limit=2')
  assert.equal(first.total, 5)
  assert.deepEqual(
    first.groups.map((group) => group.map(({ filename }) => filename)),
    [
      ['Copy of original 4.jpg', 'original 4.jpg'],
      ['Copy of original 3.jpg', 'original 3.jpg'],
    ],
  )
  await ann.post('/api/media/bulk-trash', { mediaIds: [originals[4], originals[2]] })
  const second = await pageOf(ann, `?limit=2&before=${first.next}`)
  assert.deepEqual(
    second.groups.map((group) => group[1]!.filename),
    ['original 1.jpg', 'original 0.jpg'],
  )
  assert.deepEqual([second.total, second.next], [3, null])
  await ann.post('/api/media/bulk-restore', { mediaIds: [originals[2]] })
  assert.equal((await pageOf(ann)).total, 4)
})

test('duplicates appear after an upload, disappear after a deletion, and are separate for each user', async (context) => {
  const product = await testApp(context)
  const [ann, bob] = [await product.register(), await product.register()]
  assert.deepEqual(await pageOf(ann), { groups: [], total: 0, next: null })
  const { id } = await ann.addPicture('cat.jpg')
  const again = await uploadAgain(product, ann, id)
  assert.equal((await pageOf(ann)).groups.length, 1)
  assert.equal((await pageOf(bob)).groups.length, 0)
  await ann.delete(`/api/media/${again}`)
  assert.equal((await pageOf(ann)).groups.length, 0)
  assert.equal((await ann.get('/api/media/duplicates?limit=0')).statusCode, 400)
  assert.equal((await ann.get('/api/media/duplicates?before=x')).statusCode, 400)
})

test('pictures whose hashes differ in a few bits are duplicates, and flat or distant ones are not', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const hashes = {
    'a.jpg': '0f0f3c3c5a5a9669',
    'a again.jpg': '0f0f3c3c5a5a9669',
    'a saved again.jpg': '0f0f3c3c5a5a966e',
    'b.jpg': 'f0f0c3c3a5a56996',
    'flat.jpg': '0000000000000000',
    'flat too.jpg': '0000000000000000',
  }
  for (const [name, hash] of Object.entries(hashes)) {
    const { id } = await ann.addPicture(name)
    await product.services.db.updateTable('media').set({ perceptual_hash: hash }).where('id', '=', id).execute()
  }
  const { groups } = await pageOf(ann)
  assert.deepEqual(
    groups.map((group) => group.map(({ filename }) => filename)),
    [['a saved again.jpg', 'a again.jpg', 'a.jpg']],
  )
})

const idsOf = async (user: TestUser) => (await pageOf(user)).groups.map((group) => group.map(({ id }) => id))

/** Uploads a picture several times. Returns the ids, the newest first. */
async function addAlike(product: Product, user: TestUser, count: number) {
  const { services } = product
  const { id } = await user.addPicture()
  // Test pictures resemble each other, so without hashes only copies are duplicates.
  await services.db.updateTable('media').set({ perceptual_hash: null }).where('id', '=', id).execute()
  const ids = [id]
  while (ids.length < count) ids.unshift(await uploadAgain(product, user, id))
  return ids
}

test('items marked as different are not shown as duplicates until it is undone or a new item joins', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const [second, first] = await addAlike(product, ann, 2)
  const [c, b, a] = (await addAlike(product, ann, 3)) as [number, number, number]
  assert.deepEqual(await idsOf(ann), [
    [c, b, a],
    [second, first],
  ])

  const one = await ann.post(dismissals, { mediaIds: [c, b, a], differentId: b })
  assert.equal(one.statusCode, 201)
  assert.match(one.json().message, /no longer shown as a duplicate of the others/)
  assert.deepEqual(await idsOf(ann), [
    [c, a],
    [second, first],
  ])
  const all = (await ann.post(dismissals, { mediaIds: [a, c] })).json()
  assert.deepEqual(await idsOf(ann), [[second, first]])
  assert.equal((await pageOf(ann)).total, 1)
  assert.equal(
    (await ann.post(dismissals, { mediaIds: [c, a, a] })).json().dismissalId,
    null,
    'all pairs are already marked',
  )

  const undone = await ann.delete(`${dismissals}/${all.dismissalId}`)
  assert.deepEqual([undone.statusCode, undone.json().message], [200, '2 items can be listed as duplicates again.'])
  assert.deepEqual(await idsOf(ann), [
    [c, a],
    [second, first],
  ])
  assert.equal((await ann.delete(`${dismissals}/${all.dismissalId}`)).statusCode, 404)

  const joined = await uploadAgain(product, ann, b)
  assert.deepEqual((await idsOf(ann))[0], [joined, c, b, a])
  await ann.delete(`/api/media/${joined}`)
  assert.deepEqual((await idsOf(ann))[0], [c, a])
})

test("marking as different rejects lists that are too short or too long, other users' items and deleted items", async (context) => {
  const product = await testApp(context)
  const [ann, bob] = [await product.register(), await product.register()]
  const own = await addAlike(product, ann, 3)
  const [foreign] = await addAlike(product, bob, 2)
  await ann.delete(`/api/media/${own[2]}`)
  const refused = async (body: unknown) => {
    const answer = await ann.post(dismissals, body)
    assert.match(answer.json().message, /[A-Z].+ .+\.$/, answer.body)
    return answer.statusCode
  }
  assert.equal(await refused({ mediaIds: [own[0], foreign] }), 404)
  assert.equal(await refused({ mediaIds: own }), 404)
  assert.equal(await refused({ mediaIds: [own[0]] }), 400)
  assert.equal(await refused({ mediaIds: [own[0], own[0]] }), 400)
  assert.equal(await refused({}), 400)
  assert.equal(await refused({ mediaIds: [own[0], own[1]], differentId: foreign }), 400)
  assert.equal(await refused({ mediaIds: Array.from({ length: 51 }, (_, index) => index + 1) }), 400)
  assert.deepEqual(await idsOf(ann), [[own[0], own[1]]])

  const { dismissalId } = (await ann.post(dismissals, { mediaIds: [own[0], own[1]] })).json()
  assert.equal((await bob.delete(`${dismissals}/${dismissalId}`)).statusCode, 404, 'not his')
  assert.deepEqual(await idsOf(ann), [])
  assert.equal((await idsOf(bob)).length, 1)

  assert.equal((await ann.delete(`/api/media/${own[0]}`)).statusCode, 200)
  const late = await ann.delete(`${dismissals}/${dismissalId}`)
  assert.deepEqual([late.statusCode, late.json().code], [404, 'not-found'], 'the dismissal was deleted with the item')
})

test('if all shown items of a very large group are marked as different, the next ones are shown', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  for (const mediaIds = await addAlike(product, ann, 2); mediaIds.length < 54; ) {
    const { media } = (
      await ann.post('/api/media/bulk-copy', { mediaIds: mediaIds.slice(0, 54 - mediaIds.length) })
    ).json()
    mediaIds.push(...media.map(({ id }: { id: number }) => id))
  }
  // As if each had been uploaded.
  await product.services.db.updateTable('media').set({ derived_from: null }).execute()
  const [shown] = await idsOf(ann)
  assert.equal(shown!.length, 50)
  await ann.post(dismissals, { mediaIds: shown })
  const [next] = await idsOf(ann)
  assert.equal(next!.length, 4)
  assert.ok(!next!.some((later) => shown!.includes(later)))
})

test('versions of one picture are not duplicates of each other, but of another upload', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const photo = await makePhoto({ width: 240, height: 160 })
  const { id } = await ann.addPicture('photo.jpg', photo)
  const webp = (await ann.post(`/api/media/${id}/convert-webp`, { quality: 60 })).json().media
  const copy = (await ann.post(`/api/media/${id}/copy`)).json()
  await ann.post(`/api/media/${webp.id}/copy`)
  await ann.post(`/api/media/${copy.id}/convert-webp`, { quality: 50 })
  const { id: collectionId } = (await ann.post('/api/collections', { name: 'Sea' })).json()
  await ann.post(`/api/collections/${collectionId}/media/${id}`)
  await ann.post(`/api/collections/${collectionId}/duplicate`, { name: 'Sea for another website' })
  assert.equal((await ann.get('/api/media')).json().pagination.totalCount, 6)
  assert.deepEqual(await pageOf(ann), { groups: [], total: 0, next: null })

  const again = await ann.addPicture('again.jpg', photo)
  assert.deepEqual(await idsOf(ann), [[again.id, id]], 'one version of several')
  await ann.delete(`/api/media/${id}`)
  assert.deepEqual(await idsOf(ann), [[again.id, webp.id]], 'the next version')
  await ann.delete(`/api/media/${again.id}`)
  assert.deepEqual(await idsOf(ann), [], 'also without their first version')
})

test('an item is listed with the versions of its picture, which a group of duplicates counts', async (context) => {
  const product = await testApp(context)
  const [ann, bob] = [await product.register(), await product.register()]
  const photo = await makePhoto({ width: 240, height: 160 })
  const { id } = await ann.addPicture('photo.jpg', photo)
  const webp = (await ann.post(`/api/media/${id}/convert-webp`, { quality: 60 })).json().media
  for (const asked of [id, webp.id]) {
    const { media } = (await ann.get(`/api/media/${asked}/picture-versions`)).json()
    assert.deepEqual(
      media.map((version: { id: number }) => version.id),
      [id, webp.id],
    )
  }
  assert.equal((await bob.get(`/api/media/${id}/picture-versions`)).statusCode, 404)
  await ann.addPicture('again.jpg', photo)
  const [group] = (await ann.get('/api/media/duplicates')).json().groups
  assert.deepEqual(
    group.map(({ versionCount }: { versionCount: number }) => versionCount),
    [1, 2],
  )
})

test('a restored library still knows which items are versions of one picture', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const { id } = await ann.addPicture()
  await ann.post(`/api/media/${id}/copy`)
  const { backup } = (await ann.post('/api/admin/backups/create')).json()
  await ann.addPicture()
  await ann.post(`/api/admin/backups/${backup.id}/restore`, { skipSafetyBackup: true })
  await product.settled()
  assert.equal((await ann.get('/api/media')).json().pagination.totalCount, 2)
  assert.deepEqual(await pageOf(ann), { groups: [], total: 0, next: null })
})
