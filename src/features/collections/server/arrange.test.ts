import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testApp } from '#tests/support/test-app.ts'
import type { Collection } from '../contract.ts'
import { positionsBetween } from './arrange.ts'

async function collectionOf(context: TestContext, count: number) {
  const product = await testApp(context)
  const ann = await product.register()
  const { id } = (await ann.post('/api/collections', { name: 'Summer' })).json()
  const ids: number[] = []
  for (let index = 0; index < count; index++) {
    const media = await ann.addPicture(`${index}.jpg`)
    await ann.post(`/api/collections/${id}/media/${media.id}`)
    ids.push(media.id)
  }
  const order = async () =>
    (await ann.get(`/api/collections/${id}/media`)).json().media.map((media: { id: number }) => ids.indexOf(media.id))
  const move = (moved: number[], before: number | null) =>
    ann.patch(`/api/collections/${id}/order`, {
      mediaIds: moved.map((index) => ids[index]),
      beforeId: before === null ? null : ids[before],
    })
  return { product, ann, id, ids, order, move }
}

test('items can be moved before another one, to the start or to the end, and keep that order', async (context) => {
  const { order, move, ids } = await collectionOf(context, 4)
  assert.deepEqual(await order(), [0, 1, 2, 3])
  const answer = await move([3], 0)
  assert.equal(answer.statusCode, 200, answer.body)
  assert.deepEqual(
    answer.json().mediaIds,
    [3, 0, 1, 2].map((index) => ids[index]),
  )
  assert.deepEqual(await order(), [3, 0, 1, 2])
  await move([3, 0], null)
  assert.deepEqual(await order(), [1, 2, 3, 0])
  await move([0], 2)
  assert.deepEqual(await order(), [1, 0, 2, 3])
  await move([2], 2)
  assert.deepEqual(await order(), [1, 0, 2, 3], 'before itself changes nothing')
})

test('removing an item returns its position, and it can be restored there', async (context) => {
  const { ann, id, ids, order, move } = await collectionOf(context, 4)
  await move([3], 0)
  const out = await ann.delete(`/api/collections/${id}/media/${ids[0]}`)
  assert.equal(out.json().beforeId, ids[1])
  await move([3, 0, 2, 1], null)
  assert.deepEqual(await order(), [3, 2, 1], 'the others take their places without it')
  await move([1], 2)
  await ann.post(`/api/collections/${id}/media/${ids[0]}`)
  assert.deepEqual(await order(), [3, 1, 2, 0], 'added again it stands at the end')
  await move([0], 1)
  assert.deepEqual(await order(), [3, 0, 1, 2])
  assert.equal((await ann.delete(`/api/collections/${id}/media/${ids[2]}`)).json().beforeId, null, 'the last one')
})

test('moving back and forth never runs out of positions', async (context) => {
  const { order, move } = await collectionOf(context, 3)
  for (let round = 0; round < 70; round++) await move(round % 2 ? [2] : [1], round % 2 ? 1 : 2)
  await move([0], null)
  assert.deepEqual((await order()).at(-1), 0)
  assert.equal(positionsBetween(1, 1 + Number.EPSILON, 1), null)
  assert.deepEqual(positionsBetween(1, 4, 2), [2, 3])
})

test("a user cannot arrange another user's collection, nor use items that are not in it", async (context) => {
  const { product, ann, id, ids, move } = await collectionOf(context, 2)
  const ben = await product.register()
  assert.equal(
    (await ben.patch(`/api/collections/${id}/order`, { mediaIds: [ids[0]], beforeId: null })).statusCode,
    404,
  )
  assert.equal((await ben.get(`/api/collections/${id}/media`)).statusCode, 404)
  const stranger = await ann.addPicture()
  assert.equal(
    (await ann.patch(`/api/collections/${id}/order`, { mediaIds: [stranger.id], beforeId: null })).statusCode,
    404,
  )
  const foreign = await ann.patch(`/api/collections/${id}/order`, { mediaIds: [ids[0]], beforeId: stranger.id })
  assert.equal(foreign.statusCode, 404)
  assert.equal((await move([], null)).statusCode, 400)
})

test("the cover is one of the collection's own items and comes first on its card", async (context) => {
  const { ann, id, ids } = await collectionOf(context, 5)
  const changed = await ann.patch(`/api/collections/${id}`, { coverMediaId: ids[2] })
  assert.equal(changed.json().coverMediaId, ids[2])
  assert.equal(changed.json().sampleMedia[0].id, ids[2])
  const { id: empty } = (await ann.post('/api/collections', { name: 'Empty' })).json()
  const samples = (await ann.get('/api/collections'))
    .json()
    .map((card: Collection) => [card.id, card.sampleMedia.map((media) => ids.indexOf(media.id))])
  assert.deepEqual(samples, [
    [empty, []],
    [id, [2, 0, 1, 3]],
  ])
  await ann.post('/api/media/bulk-trash', { mediaIds: [ids[2]] })
  const card: Collection = (await ann.get(`/api/collections/${id}`)).json()
  assert.deepEqual(
    card.sampleMedia.map((media) => ids.indexOf(media.id)),
    [0, 1, 3, 4],
    'a cover in the trash is not shown',
  )
  const stranger = await ann.addPicture()
  assert.equal((await ann.patch(`/api/collections/${id}`, { coverMediaId: stranger.id })).statusCode, 404)
  assert.equal((await ann.patch(`/api/collections/${id}`, { coverMediaId: null })).json().sampleMedia[0].id, ids[0])
})
