import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { productWithEndpoint, uploadWithAi } from '#features/analysis/server/analysis.fixture.ts'
import { makeAnimation, makePhoto, makePng } from '#tests/support/pictures.ts'
import { onEveryStorage, storedIn } from '#tests/support/storages.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import type { Version } from '../contract.ts'

const versionsOf = async (user: TestUser, id: number): Promise<Version[]> =>
  (await user.get(`/api/media/${id}/versions`)).json().versions
const edit = (user: TestUser, id: number, changes: object) => user.post(`/api/media/${id}/edit`, changes)

onEveryStorage(
  'a cropped photo is a new version with its camera data, and the earlier one can be restored',
  async (context, settings) => {
    const product = await testApp(context, settings)
    const ann = await product.register()
    const media = await ann.addPicture('beach.jpg', await makePhoto({ width: 240, height: 160 }))
    const { width, height } = media as { width: number; height: number }
    await ann.patch(`/api/media/${media.id}`, { userDescription: 'mine', focalPoint: { x: 0.25, y: 0.5 } })
    const crop = { left: 0, top: 0, width: width / 2, height }
    const answer = await edit(ann, media.id, { crop })
    assert.equal(answer.statusCode, 200, answer.body)
    const after = answer.json()
    assert.deepEqual(
      [after.id, after.filename, after.width, after.height, after.userDescription, after.takenAt],
      [media.id, 'beach.jpg', width / 2, height, 'mine', media.takenAt],
    )
    assert.deepEqual(after.exif, media.exif)
    assert.deepEqual(after.focalPoint, { x: 0.5, y: 0.5 }, 'the focal point stays on what it showed')
    const bytes = (await ann.get(after.originalUrl)).rawPayload
    assert.equal((await sharp(bytes).metadata()).orientation ?? 1, 1)
    const [current, original] = (await versionsOf(ann, media.id)) as [Version, Version]
    assert.deepEqual(
      [current.cause, current.width, original.cause, original.width],
      ['edit', width / 2, 'upload', width],
    )
    const restored = (await ann.post(`/api/media/${media.id}/versions/${original.id}/restore`)).json()
    assert.deepEqual([restored.width, restored.originalUrl], [width, media.originalUrl])
    assert.deepEqual(restored.focalPoint, { x: 0.25, y: 0.5 }, 'the focal point moves back')
    assert.deepEqual((await storedIn(product)).temporary, [])
  },
)

test('a duplicate of another size has the focal point that its owner chose', async (context) => {
  const ann = await (await testApp(context)).register()
  const media = await ann.addPicture('logo.png', await makePng({ width: 120, height: 80 }))
  await ann.patch(`/api/media/${media.id}`, { focalPoint: { x: 0.25, y: 0.5 } })
  const request = { longestSide: 60, saveAs: 'duplicate' }
  const duplicate = (await edit(ann, media.id, request)).json()
  assert.deepEqual([duplicate.width, duplicate.focalPoint], [60, { x: 0.25, y: 0.5 }])
})

test('an edit saved as a duplicate leaves the item alone and takes over what the user wrote', async (context) => {
  const ann = await (await testApp(context)).register()
  const media = await ann.addPicture('logo.png', await makePng({ width: 120, height: 80 }))
  await ann.patch(`/api/media/${media.id}`, { userDescription: 'mine', aiTags: ['brand'], isFavorite: true })
  const request = { turn: 90, saveAs: 'duplicate', runId: '4a1c7d2e-9c61-4d55-9f6c-000000000001' }
  const duplicate = (await edit(ann, media.id, request)).json()
  assert.notEqual(duplicate.id, media.id)
  assert.deepEqual(
    [duplicate.filename, duplicate.width, duplicate.height, duplicate.userDescription, duplicate.aiTags],
    ['logo (edited).png', 80, 120, 'mine', ['brand']],
  )
  assert.deepEqual([duplicate.isFavorite, (await versionsOf(ann, duplicate.id)).length], [false, 1])
  assert.equal((await ann.get(`/api/media/${media.id}`)).json().originalUrl, media.originalUrl)
  assert.equal((await edit(ann, media.id, request)).json().id, duplicate.id, 'a repeated request edits once')
  assert.equal((await ann.get('/api/media')).json().pagination.totalCount, 2)
})

test('turning four times gives the picture its size back, and each turn can be restored', async (context) => {
  const ann = await (await testApp(context)).register()
  const media = await ann.addPicture('a.png', await makePng({ width: 120, height: 80 }))
  const sizes: number[][] = []
  for (let times = 0; times < 4; times++) {
    const { width, height } = (await edit(ann, media.id, { turn: 90 })).json()
    sizes.push([width, height])
  }
  assert.deepEqual(sizes, [
    [80, 120],
    [120, 80],
    [80, 120],
    [120, 80],
  ])
  assert.equal((await versionsOf(ann, media.id)).length, 5)
})

test('an impossible edit is refused in a sentence that names its field, and changes nothing', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const media = await ann.addPicture('a.png', await makePng({ width: 120, height: 80 }))
  const box = { left: 0, top: 0, width: 60, height: 40 }
  const wrong: [changes: object, field: string, message: RegExp][] = [
    [{ crop: { ...box, left: 61 } }, 'crop', /outside the picture, which is 120 × 80 pixels/],
    [{ crop: { ...box, left: -1 } }, 'crop.left', /inside the picture/],
    [{ crop: { ...box, width: 0 } }, 'crop.width', /at least 1/],
    [{ crop: { ...box, width: 1.5 } }, 'crop.width', /whole number/],
    [{ turn: 90, crop: { ...box, width: 100 } }, 'crop', /which is 80 × 120 pixels/],
    [{ turn: 45 }, 'turn', /0, 90, 180 or 270/],
    [{ straighten: 46 }, 'straighten', /between -45 and 45/],
    [{ straighten: 10, crop: { left: 0, top: 0, width: 120, height: 80 } }, 'crop', /smaller after it is straightened/],
    [{ longestSide: 121 }, 'longestSide', /at most 120 pixels/],
    [{ longestSide: 0 }, 'longestSide', /at least 1/],
    [{ saveAs: 'nothing', turn: 90 }, 'saveAs', /version or duplicate/],
    [{}, 'crop', /nothing to change/],
  ]
  for (const [changes, field, message] of wrong) {
    const answer = await edit(ann, media.id, changes)
    assert.deepEqual([answer.statusCode, answer.json().field], [400, field], JSON.stringify(changes))
    assert.match(answer.json().message, message)
  }
  assert.equal((await ann.get(`/api/media/${media.id}`)).json().originalUrl, media.originalUrl)
  assert.equal((await versionsOf(ann, media.id)).length, 1)
  assert.deepEqual((await storedIn(product)).temporary, [])
})

test('an animation and another user’s picture are not edited', async (context) => {
  const product = await testApp(context)
  const [ann, ben] = [await product.register(), await product.register()]
  const film = await ann.addPicture('film.gif', await makeAnimation('gif'))
  const refused = await edit(ann, film.id, { turn: 90 })
  assert.equal(refused.statusCode, 400)
  assert.match(refused.json().message, /^Animations cannot be edited/)
  const media = await ann.addPicture('a.png')
  assert.equal((await edit(ben, media.id, { turn: 90 })).statusCode, 404)
  assert.equal((await versionsOf(ann, media.id)).length, 1)
})

test('an edit without room is refused, and the picture stays as it is', async (context) => {
  const bytes = await makePng({ width: 90, height: 90 })
  const product = await testApp(context, { QUOTA_GB: String((bytes.length + 50) / 1024 ** 3) })
  const ann = await product.register()
  const media = await ann.addPicture('a.png', bytes)
  const answer = await edit(ann, media.id, { turn: 90 })
  assert.deepEqual([answer.statusCode, answer.json().isOverQuota], [413, true])
  assert.deepEqual((await ann.get(media.originalUrl)).rawPayload, bytes)
  assert.deepEqual((await storedIn(product)).temporary, [])
})

test('an edited picture is analyzed again if it was analyzed before', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const media = await uploadWithAi(product, ann)
  const asked = (await edit(ann, media.id, { turn: 180 })).json()
  assert.equal(asked.filename, media.filename)
  await product.settled()
  const after = (await ann.get(`/api/media/${media.id}`)).json()
  assert.equal(after.aiStatus, 'done')
  assert.ok(after.aiAnalysedAt > media.aiAnalysedAt)
})
