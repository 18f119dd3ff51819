import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '#tests/support/test-app.ts'

test('a collection name is trimmed and kept, a blank one is refused', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const created = await ann.post('/api/collections', { name: '  Summer ', company: '' })
  assert.equal(created.statusCode, 201)
  assert.deepEqual([created.json().name, created.json().company, created.json().mediaCount], ['Summer', null, 0])
  assert.equal((await ann.post('/api/collections', { name: '  ' })).statusCode, 400)
  assert.equal((await ann.get('/api/collections')).json().length, 1)
})

test('an item is added once; the second time the answer says it is a duplicate', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture()
  const { id } = (await ann.post('/api/collections', { name: 'Summer' })).json()
  assert.equal((await ann.post(`/api/collections/${id}/media/${media.id}`)).statusCode, 201)
  const again = await ann.post(`/api/collections/${id}/media/${media.id}`)
  assert.equal(again.statusCode, 409)
  assert.equal(again.json().isDuplicate, true)
  const listed = (await ann.get(`/api/media?collectionId=${id}`)).json()
  assert.equal(listed.pagination.totalCount, 1)
  assert.deepEqual(listed.media[0].collections, [{ id, name: 'Summer' }])
  assert.equal((await ann.get('/api/media?search=summ')).json().media.length, 1, 'found by its collection')
  await ann.post('/api/media/bulk-trash', { mediaIds: [media.id] })
  assert.equal((await ann.get('/api/collections?summary=true')).json()[0].mediaCount, 0)
  await ann.delete(`/api/media/${media.id}`)
  assert.equal((await ann.get('/api/collections?summary=true')).json()[0].mediaCount, 0)
  const storage = (await ann.get('/api/user/storage')).json()
  assert.deepEqual([storage.usedBytes, storage.totalFiles], [0, 0])
})

test('a duplicated collection holds copies that share their bytes', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture('one.jpg')
  const { id } = (await ann.post('/api/collections', { name: 'Summer' })).json()
  await ann.post(`/api/collections/${id}/media/${media.id}`)
  const copy = await ann.post(`/api/collections/${id}/duplicate`, { name: 'Summer - Copy', company: 'Acme' })
  assert.equal(copy.statusCode, 201, copy.body)
  assert.equal(copy.json().stats.copiedMedia, 1)
  const members = (await ann.get(`/api/media?collectionId=${copy.json().collection.id}`)).json().media
  assert.notEqual(members[0].id, media.id)
  const blobs = await services.db.selectFrom('blobs').selectAll().execute()
  assert.equal(blobs.length, 1)
})
