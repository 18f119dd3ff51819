import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '#tests/support/test-app.ts'
import { addPictures } from './bulk.fixture.ts'

test('a move is recorded and undone as one change', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const ids = await addPictures(ann, ['a.jpg', 'b.jpg'])
  const { id } = (await ann.post('/api/collections', { name: 'Summer' })).json()
  for (const mediaId of ids) await ann.post(`/api/collections/${id}/media/${mediaId}`)
  const change = await ann.post('/api/history/moves', { collectionId: id, mediaIds: ids })
  assert.equal(change.statusCode, 201, change.body)
  assert.deepEqual([change.json().title, change.json().itemCount], ['Added to "Summer"', 2])
  await ann.post(`/api/history/${change.json().id}/undo`)
  assert.equal((await ann.get('/api/collections?summary=true')).json()[0].mediaCount, 0)
})

test('items removed from a collection in bulk stay in the library, and undo restores their positions', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const [first, second, third, other] = await addPictures(ann, ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg'])
  const { id } = (await ann.post('/api/collections', { name: 'Summer' })).json()
  for (const mediaId of [first, second, third]) await ann.post(`/api/collections/${id}/media/${mediaId}`)
  const members = async () =>
    (await ann.get(`/api/collections/${id}/media`)).json().media.map((media: { id: number }) => media.id)
  const counted = async () => (await ann.get('/api/collections?summary=true')).json()[0].mediaCount

  const taken = await ann.post('/api/media/bulk-remove-from-collection', {
    collectionId: id,
    mediaIds: [first, second, other, 999],
  })
  assert.equal(taken.statusCode, 200, taken.body)
  const { message, summary, changeId } = taken.json()
  assert.equal(message, '2 items were removed from "Summer".')
  assert.deepEqual(summary, { successful: 3, failed: 1 })
  assert.deepEqual([await members(), await counted()], [[third], 1])
  assert.equal((await ann.get('/api/media')).json().pagination.totalCount, 4)

  // The user adds the item again in the meantime, at the end.
  await ann.post(`/api/collections/${id}/media/${first}`)
  const undo = await ann.post(`/api/history/${changeId}/undo`)
  assert.deepEqual([undo.json().undone, undo.json().kept], [1, 1])
  assert.deepEqual([await members(), await counted()], [[second, third, first], 3])
  assert.equal((await ann.get(`/api/media?search=jpg&collectionId=${id}`)).json().pagination.totalCount, 3)
})

test("undo cannot restore items to a deleted collection, and a user cannot remove items from another user's collection", async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const ben = await register()
  const mediaIds = await addPictures(ann, ['a.jpg'])
  const { id: collectionId } = (await ann.post('/api/collections', { name: 'Summer' })).json()
  await ann.post(`/api/collections/${collectionId}/media/${mediaIds[0]}`)
  const path = '/api/media/bulk-remove-from-collection'
  assert.equal((await ben.post(path, { collectionId, mediaIds })).statusCode, 404)
  const { changeId } = (await ann.post(path, { collectionId, mediaIds })).json()
  await ann.delete(`/api/collections/${collectionId}`)
  assert.deepEqual((await ann.post(`/api/history/${changeId}/undo`)).json().kept, 1)
  assert.deepEqual((await ann.get(`/api/media/${mediaIds[0]}`)).json().collections, [])
})
