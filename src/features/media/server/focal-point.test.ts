import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '#tests/support/test-app.ts'
import { foundFocalPoint } from './focal-point.ts'

const found = { x: 0.25, y: 0.125 }

test("the owner's focal point is used instead of the found one until it is reset", async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture()
  assert.deepEqual([media.focalPoint, media.isFocalPointOwn], [null, false])
  await services.db.updateTable('media').set(foundFocalPoint(found)).execute()
  const change = async (focalPoint: object | null) => {
    const answer = await ann.patch(`/api/media/${media.id}`, { focalPoint })
    assert.equal(answer.statusCode, 200, answer.body)
    return [answer.json().focalPoint, answer.json().isFocalPointOwn]
  }
  const listed = async () => (await ann.get('/api/media')).json().media[0].focalPoint
  assert.deepEqual(await listed(), found)
  assert.deepEqual(await change({ x: 1, y: 0.123456 }), [{ x: 1, y: 0.1235 }, true])
  await services.db
    .updateTable('media')
    .set(foundFocalPoint({ x: 0.75, y: 0 }))
    .execute()
  assert.deepEqual(await listed(), { x: 1, y: 0.1235 }, 'not overwritten by a later analysis')
  assert.deepEqual(await change(null), [{ x: 0.75, y: 0 }, false])
})

test("a found focal point in an item that is sent back does not become the owner's", async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture()
  await services.db.updateTable('media').set(foundFocalPoint(found)).execute()
  const item = (await ann.get(`/api/media/${id}`)).json()
  const { focalPoint, isFocalPointOwn } = (await ann.patch(`/api/media/${id}`, item)).json()
  assert.deepEqual([focalPoint, isFocalPointOwn], [found, false])
})

test('a focal point outside the picture is refused by field and changes nothing', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture()
  const wrong: [focalPoint: unknown, field: string][] = [
    [{ x: 1.01, y: 0.5 }, 'focalPoint.x'],
    [{ x: 0.5, y: -0.01 }, 'focalPoint.y'],
    [{ x: 0.5 }, 'focalPoint.y'],
    ['center', 'focalPoint'],
  ]
  for (const [focalPoint, field] of wrong) {
    const answer = await ann.patch(`/api/media/${id}`, { focalPoint, filename: 'other.jpg' })
    assert.deepEqual([answer.statusCode, answer.json().field], [400, field])
  }
  const { focalPoint, filename } = (await ann.get(`/api/media/${id}`)).json()
  assert.deepEqual([focalPoint, filename === 'other.jpg'], [null, false])
})

test('copies, duplicated collections and WebP copies keep the focal points', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture('one.jpg')
  await services.db.updateTable('media').set(foundFocalPoint(found)).execute()
  await ann.patch(`/api/media/${id}`, { focalPoint: { x: 0.5, y: 0.9 } })
  const collection = (await ann.post('/api/collections', { name: 'Summer' })).json()
  await ann.post(`/api/collections/${collection.id}/media/${id}`)
  await ann.post(`/api/media/${id}/copy`)
  await ann.post(`/api/collections/${collection.id}/duplicate`, { name: 'Winter' })
  const webp = (await ann.post(`/api/media/${id}/convert-webp`, { quality: 30 })).json()
  assert.equal(webp.isConverted, true)
  const rows = await services.db
    .selectFrom('media')
    .select(['own_focal_x', 'own_focal_y', 'found_focal_x', 'found_focal_y'])
    .execute()
  const kept = { own_focal_x: 0.5, own_focal_y: 0.9, found_focal_x: 0.25, found_focal_y: 0.125 }
  assert.deepEqual(rows, [kept, kept, kept, kept])
})
