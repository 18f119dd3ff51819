import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Media } from '#features/media/contract.ts'
import { tidyMedia } from '#features/media/server/janitor.ts'
import { multipart } from '#tests/support/multipart.ts'
import { makePhoto, makePng } from '#tests/support/pictures.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'

const listOf = async (user: TestUser, query = ''): Promise<Media[]> =>
  (await user.get(`/api/media${query}`)).json().media
const namesOf = async (user: TestUser, query = '') => (await listOf(user, query)).map(({ filename }) => filename).sort()
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

test('the originals of replaced images wait in the trash, and undo gives them back', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const bytes = await makePhoto({ width: 240, height: 160 })
  const photo = await ann.addPicture('Photo.JPG', bytes)
  const [png] = (await withPictures(ann, ['chart.png'])) as [Media]
  const { id: collectionId } = (await ann.post('/api/collections', { name: 'Trip' })).json()
  await ann.post(`/api/collections/${collectionId}/media/${photo.id}`)
  const { publicUrl } = (await ann.post(`/api/media/${photo.id}/public`)).json()

  const { changeId, message } = await convertAll(ann, [photo, png], true)
  assert.match(message, /^2 images replaced, .* saved\. Originals are in the Trash\.$/)
  assert.deepEqual(await namesOf(ann), ['Photo.webp', 'chart.webp'])
  assert.deepEqual(await namesOf(ann, '?trashed=true'), ['Photo.JPG', 'chart.png'])
  const [{ id, kind, title, itemCount, undoneAt }] = await changesOf(ann)
  assert.deepEqual([id, kind, title, itemCount, undoneAt], [changeId, 'replacement', 'Replaced with WebP', 2, null])

  await ann.patch(`/api/media/${png.id}`, { filename: 'renamed.webp' })
  const undone = (await undo(ann, changeId)).json()
  assert.deepEqual(undone, { undone: 2, kept: 0, message: '2 originals restored. The WebP files are in the Trash.' })
  assert.deepEqual(await namesOf(ann), ['Photo.JPG', 'renamed.png'])
  assert.deepEqual(await namesOf(ann, '?trashed=true'), ['Photo.webp', 'renamed.webp'])
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
  assert.equal(message, '1 original restored. The WebP file is in the Trash.')
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

test('undoing a conversion skips images converted again and originals that left the trash, and says so', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const media = await withPictures(ann, ['again.png', 'restored.png', 'fine.png'])
  const { changeId } = await convertAll(ann, media, true)
  await ann.post(`/api/media/${media[0]!.id}/convert-webp`, { quality: 30, deleteOriginal: true })
  const [original] = await listOf(ann, '?trashed=true&search=restored')
  await ann.post('/api/media/bulk-restore', { mediaIds: [original!.id] })
  const { message } = (await undo(ann, changeId)).json()
  assert.equal(
    message,
    '1 original restored. 2 images skipped: changed since, or the original is no longer in the Trash.',
  )
  assert.deepEqual(await namesOf(ann), ['again.webp', 'fine.png', 'restored.png', 'restored.webp'])
})

test('undoing a conversion after the trash was emptied restores nothing and says why', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { changeId } = await convertAll(ann, await withPictures(ann, ['a.png']), true)
  await ann.delete('/api/trash')
  const answer = await undo(ann, changeId)
  assert.deepEqual(answer.json(), {
    undone: 0,
    kept: 1,
    message: 'Nothing restored. 1 image skipped: changed since, or the original is no longer in the Trash.',
  })
  assert.deepEqual(await namesOf(ann), ['a.webp'])
})

test('after 30 days a conversion can no longer be undone, and the original is deleted', async (context) => {
  const product = await testApp(context)
  const { db, jobs } = product.services
  const ann = await product.register()
  const { changeId } = await convertAll(ann, await withPictures(ann, ['a.png']), true)
  const late = Date.now() - 31 * 24 * 3600_000
  await db.updateTable('runs').set({ updated_at: late }).execute()
  await db.updateTable('media').set({ trashed_at: late }).where('is_trashed', '=', 1).execute()
  await jobs.enqueue(db, 'tidy-history', {})
  await product.settled()
  await tidyMedia(product.services, 0)
  const answer = await undo(ann, changeId)
  assert.deepEqual([answer.statusCode, answer.json().message], [404, 'This change can no longer be undone.'])
  assert.deepEqual(await namesOf(ann, '?trashed=true'), [])
  assert.deepEqual(await namesOf(ann), ['a.webp'])
})

test('undoing a conversion skips an original that was restored, converted too and moved to the trash again', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { changeId } = await convertAll(ann, await withPictures(ann, ['a.png']), true)
  const originals = await listOf(ann, '?trashed=true')
  const mediaIds = originals.map(({ id }) => id)
  await ann.post('/api/media/bulk-restore', { mediaIds })
  await ann.post(`/api/media/${mediaIds[0]}/convert-webp`, { quality: 30, deleteOriginal: true })
  await ann.post('/api/media/bulk-trash', { mediaIds })
  const { undone, kept } = (await undo(ann, changeId)).json()
  assert.deepEqual([undone, kept], [0, 1])
})

test('after a restore on another machine, undoing a conversion leaves an item alone that has the id of a deleted original', async (context) => {
  const product = await testApp(context)
  const ann = await product.register('ann')
  const [picture] = (await withPictures(ann, ['ann.png'])) as [Media]
  const { changeId } = await convertAll(ann, [picture], true)
  await ann.delete('/api/trash')
  const bytes = (await ann.get('/api/admin/backup/download')).rawPayload

  const elsewhere = await testApp(context)
  const ben = await elsewhere.register()
  const upload = multipart([{ name: 'backup.zip', bytes }], {}, 'backup')
  const uploaded = await ben.send({ method: 'POST', url: '/api/admin/backup/upload', ...upload })
  assert.equal(uploaded.statusCode, 200, uploaded.body)
  const [bens] = (await withPictures(ben, ['ben.png'])) as [Media]
  await ben.post('/api/media/bulk-trash', { mediaIds: [bens.id] })
  const annElsewhere = elsewhere.visitor()
  const account = { username: 'ann', password: 'correct horse' }
  assert.equal((await annElsewhere.post('/api/login', account)).statusCode, 200)
  assert.equal((await undo(annElsewhere, changeId)).json().undone, 0)
  assert.deepEqual(await namesOf(ben, '?trashed=true'), ['ben.png'])
  assert.deepEqual(await namesOf(annElsewhere), ['ann.webp'])
})

test('a WebP that an undo moved to the trash stays there for 30 days', async (context) => {
  const product = await testApp(context)
  const { db } = product.services
  const ann = await product.register()
  const { changeId } = await convertAll(ann, await withPictures(ann, ['a.png']), true)
  const moveTime = async (days: number) => {
    const trashed = db.updateTable('media').where('is_trashed', '=', 1)
    await trashed.set(({ eb }) => ({ trashed_at: eb('trashed_at', '-', days * 24 * 3600_000) })).execute()
  }
  await moveTime(29)
  await undo(ann, changeId)
  await moveTime(2)
  await tidyMedia(product.services, 0)
  assert.deepEqual(await namesOf(ann, '?trashed=true'), ['a.webp'])
})
