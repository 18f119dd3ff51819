import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Media } from '#features/media/contract.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { insertManyMedia } from '#tests/support/seed-library.ts'
import { testApp } from '#tests/support/test-app.ts'
import { insertMemberships } from './store.ts'

test('a duplicated collection holds copies that share their bytes', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture('one.jpg')
  const { id } = (await ann.post('/api/collections', { name: 'Summer' })).json()
  await ann.post(`/api/collections/${id}/media/${media.id}`)
  await ann.patch(`/api/collections/${id}/branding`, { title: 'Sun' })
  await ann.patch(`/api/collections/${id}/visibility`, { isPublic: true })
  const copy = await ann.post(`/api/collections/${id}/duplicate`, { name: 'Winter', company: 'Acme' })
  assert.equal(copy.statusCode, 201, copy.body)
  const { customBranding, isPublic, publicSlug } = copy.json().collection
  assert.deepEqual(
    [customBranding.title, isPublic, publicSlug],
    ['Sun', false, null],
    'it has the same branding and is private',
  )
  assert.equal(copy.json().stats.copiedMedia, 1)
  const members = (await ann.get(`/api/media?collectionId=${copy.json().collection.id}`)).json().media
  assert.notEqual(members[0].id, media.id)
  const found = (await ann.get(`/api/media?search=one&collectionId=${copy.json().collection.id}`)).json().media
  assert.deepEqual(
    found.map((item: { id: number }) => item.id),
    [members[0].id],
  )
  const blobs = await services.db.selectFrom('blobs').selectAll().execute()
  assert.equal(blobs.length, 1)
})

test('the copies in a duplicated collection keep the order, the tags and the cover', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const { id } = (await ann.post('/api/collections', { name: 'Summer' })).json()
  const ids = (await insertManyMedia(services.db, ann.id, 450)).reverse()
  const media = ids.map((mediaId) => ({ id: mediaId, created_at: 0 }))
  await insertMemberships(services.db, id, { media, after: 0 })
  const cover = ids[321]!
  await ann.patch(`/api/media/${cover}`, { aiTags: ['boat', 'sea', 'anchor'] })
  await ann.patch(`/api/media/${cover}`, { aiTags: ['sea', 'anchor'] })
  await ann.patch(`/api/media/${ids[7]}`, { aiTags: ['boat'] })
  await ann.patch(`/api/collections/${id}`, { coverMediaId: cover })

  const { collection, stats } = (await ann.post(`/api/collections/${id}/duplicate`, { name: 'Winter' })).json()
  assert.equal(stats.copiedMedia, 450)
  const listed = async (collectionId: number): Promise<Media[]> =>
    (await ann.get(`/api/collections/${collectionId}/media`)).json().media
  const [originals, copies] = [await listed(id), await listed(collection.id)]
  const told = ({ filename, aiTags }: Media) => [filename, aiTags]
  assert.deepEqual(copies.map(told), originals.map(told))
  const copyOfCover = copies[321]!
  assert.equal(collection.coverMediaId, copyOfCover.id)
  assert.deepEqual(copyOfCover.aiTags, ['sea', 'anchor'])
  const removed = await services.db
    .selectFrom('removed_tags')
    .selectAll()
    .where('media_id', '=', copyOfCover.id)
    .execute()
  assert.deepEqual(removed, [{ media_id: copyOfCover.id, tag: 'boat' }], 'no model brings it to the copy either')
  const found = (await ann.get(`/api/media?collectionId=${collection.id}&search=anchor`)).json().media
  assert.deepEqual(
    found.map((item: Media) => item.id),
    [copyOfCover.id],
  )
})

test('a collection can be duplicated for several websites when the storage quota is full', async (context) => {
  const pictures = [await makeJpeg(), await makeJpeg()]
  const bytes = pictures.reduce((sum, { length }) => sum + length, 0)
  const { register } = await testApp(context, { QUOTA_GB: String((bytes + 0.5) / 1024 ** 3) })
  const ann = await register()
  const { id } = (await ann.post('/api/collections', { name: 'Summer' })).json()
  for (const [index, picture] of pictures.entries()) {
    const media = await ann.addPicture(`${index}.jpg`, picture)
    await ann.post(`/api/collections/${id}/media/${media.id}`)
  }
  for (let website = 1; website <= 5; website++) {
    const answer = await ann.post(`/api/collections/${id}/duplicate`, { name: `Website ${website}` })
    assert.equal(answer.statusCode, 201, answer.body)
  }
  const { usedBytes, totalFiles } = (await ann.get('/api/user/storage')).json()
  assert.deepEqual([usedBytes, totalFiles], [bytes, 12])
})
