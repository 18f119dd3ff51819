import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Media } from '#features/media/contract.ts'
import { tidyMedia } from '#features/media/server/janitor.ts'
import { makePhoto, makePng } from '#tests/support/pictures.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'

const listOf = async (user: TestUser, query = ''): Promise<Media[]> =>
  (await user.get(`/api/media${query}`)).json().media
const namesOf = async (user: TestUser, query = '') => (await listOf(user, query)).map(({ filename }) => filename).sort()
const earlierOf = async (user: TestUser, id: number): Promise<string[]> => {
  const { versions } = (await user.get(`/api/media/${id}/versions`)).json()
  return versions.slice(1).map(({ filename }: { filename: string }) => filename)
}
const deleteVersions = (user: TestUser) => user.delete('/api/versions')
const changesOf = async (user: TestUser) => (await user.get('/api/history')).json().changes
const undo = async (user: TestUser, changeId: number) => user.post(`/api/history/${changeId}/undo`)

async function withPictures(user: TestUser, names: string[]) {
  const media: Media[] = []
  for (const [index, name] of names.entries())
    media.push(await user.addPicture(name, await makePng({ width: 200 + index, height: 150 })))
  return media
}

async function convertAll(user: TestUser, media: Media[], deleteOriginal: boolean) {
  const mediaIds = media.map(({ id }) => id)
  const answer = await user.post('/api/media/bulk-convert-webp', { mediaIds, quality: 60, deleteOriginal })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json() as { changeId: number; message: string }
}

test('the originals of replaced images are kept as versions, and undo gives them back', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const bytes = await makePhoto({ width: 240, height: 160 })
  const photo = await ann.addPicture('Photo.JPG', bytes)
  const [png] = (await withPictures(ann, ['chart.png'])) as [Media]
  const { id: collectionId } = (await ann.post('/api/collections', { name: 'Trip' })).json()
  await ann.post(`/api/collections/${collectionId}/media/${photo.id}`)
  const { publicUrl } = (await ann.post(`/api/media/${photo.id}/public`)).json()

  const { changeId, message } = await convertAll(ann, [photo, png], true)
  assert.match(message, /^2 images replaced, .* saved\. Originals are kept as versions for 30 days\.$/)
  assert.deepEqual(await namesOf(ann), ['Photo.webp', 'chart.webp'])
  assert.deepEqual(await namesOf(ann, '?trashed=true'), [])
  const [{ id, kind, title, itemCount, undoneAt }] = await changesOf(ann)
  assert.deepEqual([id, kind, title, itemCount, undoneAt], [changeId, 'replacement', 'Replaced with WebP', 2, null])

  await ann.patch(`/api/media/${png.id}`, { filename: 'renamed.webp' })
  const undone = (await undo(ann, changeId)).json()
  assert.deepEqual(undone, {
    undone: 2,
    kept: 0,
    message: '2 originals restored. The converted files are kept as versions.',
  })
  assert.deepEqual(await namesOf(ann), ['Photo.JPG', 'renamed.png'])
  assert.deepEqual(await earlierOf(ann, photo.id), ['Photo.webp'])
  const restored = (await ann.get(`/api/media/${photo.id}`)).json()
  assert.deepEqual([restored.publicUrl, restored.size], [publicUrl, photo.size])
  assert.deepEqual((await ann.get(restored.originalUrl)).rawPayload, bytes)
  assert.equal((await ann.get(`/api/collections/${collectionId}/media`)).json().media.length, 1)
  assert.equal((await ann.get('/api/media?search=Photo.JPG')).json().media[0].id, photo.id, 'found by its old name')
  assert.equal((await undo(ann, changeId)).statusCode, 409)
})

test('undoing a conversion that added WebP copies moves the copies to the trash', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { changeId } = await convertAll(ann, await withPictures(ann, ['a.png', 'b.png']), false)
  const [{ kind, title, itemCount }] = await changesOf(ann)
  assert.deepEqual([kind, title, itemCount], ['copy', 'Converted to WebP', 2])
  const [copy] = await listOf(ann, '?search=a.webp')
  await ann.post('/api/media/bulk-trash', { mediaIds: [copy!.id] })
  const { message } = (await undo(ann, changeId)).json()
  assert.equal(message, '1 copy moved to the Trash. 1 copy was there already.')
  assert.deepEqual(await namesOf(ann), ['a.png', 'b.png'])
  assert.deepEqual(await namesOf(ann, '?trashed=true'), ['a.webp', 'b.webp'])
})

test('converting a single image appears in the history and can be undone', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const [media] = (await withPictures(ann, ['a.png'])) as [Media]
  for (const deleteOriginal of [false, true])
    await ann.post(`/api/media/${media.id}/convert-webp`, { quality: 60, deleteOriginal })
  const changes = await changesOf(ann)
  assert.deepEqual(
    changes.map(({ kind, itemCount }: { kind: string; itemCount: number }) => [kind, itemCount]),
    [
      ['replacement', 1],
      ['copy', 1],
    ],
  )
  const { message } = (await undo(ann, changes[0].id)).json()
  assert.equal(message, '1 original restored. The converted file is kept as a version.')
  assert.deepEqual(await namesOf(ann), ['a.png', 'a.webp'])
})

test('duplicating many items appears in the history, and undo moves the copies to the trash', async (context) => {
  const { register } = await testApp(context)
  const [ann, ben] = [await register(), await register()]
  const mediaIds = (await withPictures(ann, ['a.png', 'b.png'])).map(({ id }) => id)
  const { changeId } = (await ann.post('/api/media/bulk-copy', { mediaIds })).json()
  const [{ id, kind, title, itemCount }] = await changesOf(ann)
  assert.deepEqual([id, kind, title, itemCount], [changeId, 'copy', 'Duplicated', 2])
  assert.equal((await undo(ben, changeId)).statusCode, 404)
  assert.equal((await undo(ann, changeId)).json().message, '2 copies moved to the Trash.')
  assert.deepEqual(await namesOf(ann), ['a.png', 'b.png'])
})

test('undoing a conversion skips images converted again and originals that were deleted, and says so', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const media = await withPictures(ann, ['again.png', 'deleted.png', 'fine.png'])
  const { changeId } = await convertAll(ann, media, true)
  await ann.post(`/api/media/${media[0]!.id}/convert-webp`, { quality: 30, deleteOriginal: true })
  const { versions } = (await ann.get(`/api/media/${media[1]!.id}/versions`)).json()
  await ann.delete(`/api/media/${media[1]!.id}/versions/${versions[1].id}`)
  const { message } = (await undo(ann, changeId)).json()
  assert.equal(message, '1 original restored. 2 images skipped: changed since, or the original is no longer kept.')
  assert.deepEqual(await namesOf(ann), ['again.webp', 'deleted.webp', 'fine.png'])
})

test('undoing a conversion after all versions were deleted restores nothing and says why', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { changeId } = await convertAll(ann, await withPictures(ann, ['a.png']), true)
  await deleteVersions(ann)
  const answer = await undo(ann, changeId)
  assert.deepEqual(answer.json(), {
    undone: 0,
    kept: 1,
    message: 'Nothing restored. 1 image skipped: changed since, or the original is no longer kept.',
  })
  assert.deepEqual(await namesOf(ann), ['a.webp'])
})

test('an image replaced since its conversion keeps its new file when the conversion is undone', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const [picture] = (await withPictures(ann, ['a.png'])) as [Media]
  const { changeId } = await convertAll(ann, [picture], true)
  await ann.replace(picture.id, 'b.png', await makePng({ width: 77, height: 40 }))
  assert.deepEqual((await undo(ann, changeId)).json().undone, 0)
  assert.equal((await ann.get(`/api/media/${picture.id}`)).json().width, 77)
})

test('after 30 days a conversion can no longer be undone, and the original is deleted', async (context) => {
  const product = await testApp(context)
  const { db, jobs } = product.services
  const ann = await product.register()
  const [replaced, converted] = (await withPictures(ann, ['replaced.png', 'a.png'])) as [Media, Media]
  await ann.replace(replaced.id, 'new.png', await makePng({ width: 70, height: 40 }))
  const { changeId } = await convertAll(ann, [converted], true)
  const { versions } = (await ann.get(`/api/media/${converted.id}/versions`)).json()
  const inDays = (Date.parse(versions[1].expiresAt) - Date.now()) / (24 * 3600_000)
  assert.ok(inDays > 29.9 && inDays <= 30)
  const late = Date.now() - 31 * 24 * 3600_000
  await db.updateTable('runs').set({ updated_at: late }).execute()
  await db.updateTable('media_versions').set({ replaced_at: late }).where('replaced_at', 'is not', null).execute()
  await jobs.enqueue(db, 'tidy-history', {})
  await product.settled()
  await tidyMedia(product.services, 0)
  const answer = await undo(ann, changeId)
  assert.deepEqual([answer.statusCode, answer.json().message], [404, 'This change can no longer be undone.'])
  assert.deepEqual(await earlierOf(ann, converted.id), [])
  assert.deepEqual(await earlierOf(ann, replaced.id), ['replaced.png'], 'a file that was replaced by hand stays')
})

test('a WebP that an undo replaced is kept for 30 days from then', async (context) => {
  const product = await testApp(context)
  const { db } = product.services
  const ann = await product.register()
  const [picture] = (await withPictures(ann, ['a.png'])) as [Media]
  const { changeId } = await convertAll(ann, [picture], true)
  const moveTime = async (days: number) => {
    const expiring = db.updateTable('media_versions').where('is_expiring', '=', 1)
    await expiring.set(({ eb }) => ({ replaced_at: eb('replaced_at', '-', days * 24 * 3600_000) })).execute()
  }
  await moveTime(29)
  await undo(ann, changeId)
  await moveTime(2)
  await tidyMedia(product.services, 0)
  assert.deepEqual(await earlierOf(ann, picture.id), ['a.webp'])
})

test('an undo during an analysis leaves no item that seems to be analyzed for ever', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const [png] = (await withPictures(ann, ['chart.png'])) as [Media]
  const { changeId } = await convertAll(ann, [png], true)
  await services.db.updateTable('media').set({ ai_status: 'waiting' }).where('id', '=', png.id).execute()
  await undo(ann, changeId)
  assert.equal((await ann.get(`/api/media/${png.id}`)).json().aiStatus, 'none')
})

test('a place that was found after the conversion stays when it is undone', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const [png] = (await withPictures(ann, ['chart.png'])) as [Media]
  const { changeId } = await convertAll(ann, [png], true)
  const exif = JSON.stringify({ place: 'Lisbon' })
  await services.db.updateTable('media').set({ exif }).where('id', '=', png.id).execute()
  await undo(ann, changeId)
  const { exif: after } = await services.db
    .selectFrom('media')
    .select('exif')
    .where('id', '=', png.id)
    .executeTakeFirstOrThrow()
  assert.deepEqual(after, exif)
})
