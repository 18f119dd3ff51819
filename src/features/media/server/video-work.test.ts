import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mjpegAvi } from '#engines/video/testing/clips.ts'
import { AppError, storageFull } from '#platform/errors.ts'
import { holdTransaction, untilBlocked } from '#tests/support/held-transaction.ts'
import { collectEvents } from '#tests/support/live-events.ts'
import { isOnPostgres, onOneDatabase } from '#tests/support/postgres.ts'
import { insertManyMedia } from '#tests/support/seed-library.ts'
import { onEveryStorage, storedIn } from '#tests/support/storages.ts'
import { testApp } from '#tests/support/test-app.ts'
import { until } from '#tests/support/until.ts'
import type { Media } from '../contract.ts'
import { lockMedia } from './store.ts'
import { openClips, withVideo } from './videos.fixture.ts'

const clip = await openClips()
const avi = await clip({ ...mjpegAvi, frames: 12 })

onEveryStorage(
  'an AVI becomes playable in the background, also for copies made in the meantime',
  async (context, settings) => {
    const product = await testApp(context, settings)
    const ann = await product.register()
    const original = await ann.addPicture('old camera.avi', avi)
    assert.deepEqual([original.mimeType, original.playback, original.playbackUrl], ['video/x-msvideo', 'pending', null])
    const copy: Media = (await ann.post(`/api/media/${original.id}/copy`)).json()
    await product.settled()
    for (const { id } of [original, copy]) {
      const media: Media = (await ann.get(`/api/media/${id}`)).json()
      assert.equal(media.playback, 'rendition')
      const played = await ann.get(media.playbackUrl!, { range: 'bytes=0-11' })
      assert.deepEqual([played.statusCode, played.headers['content-type']], [206, 'video/mp4'])
      assert.equal(played.rawPayload.subarray(4, 8).toString(), 'ftyp')
      assert.ok((await ann.get(media.originalUrl)).rawPayload.equals(avi))
    }
    assert.deepEqual((await storedIn(product)).temporary, [])
  },
)

onOneDatabase('a copy of a video becomes playable even when the original is deleted at once', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  await product.services.jobs.stop()
  const original = await ann.addPicture('a.avi', avi)
  const copy: Media = (await ann.post(`/api/media/${original.id}/copy`)).json()
  await ann.delete(`/api/media/${original.id}`)
  await product.restart()
  await product.settled()
  const media: Media = (await ann.get(`/api/media/${copy.id}`)).json()
  assert.equal(media.playback, 'rendition')
})

test('copies made at the moment their video becomes ready are ready too', async (context) => {
  const product = await testApp(context)
  const { ann, media } = await withVideo(product, 'a.avi', avi)
  const { db } = product.services
  const { id } = (await ann.post('/api/collections', { name: 'Films' })).json()
  await ann.post(`/api/collections/${id}/media/${media.id}`)
  const { sprite } = await db.selectFrom('media').select('sprite').executeTakeFirstOrThrow()
  await db.updateTable('media').set({ playback: 'pending', sprite: null }).execute()
  const ready = await holdTransaction(db, (transaction) =>
    transaction.updateTable('media').set({ playback: 'rendition', sprite }).execute(),
  )
  const answers = [
    ann.post(`/api/media/${media.id}/copy`),
    ann.post(`/api/collections/${id}/duplicate`, { name: 'Two' }),
  ]
  await untilBlocked(db, answers.length)
  await ready.end()
  for (const { statusCode, body } of await Promise.all(answers)) assert.equal(statusCode, 201, body)
  await product.settled()
  const { media: films } = (await ann.get('/api/media')).json()
  assert.deepEqual(
    films.map(({ playback, sprite: strip }: Media) => [playback, strip !== null]),
    Array(3).fill(['rendition', true]),
  )
})

onOneDatabase('a video whose processing crashed repeatedly reports it and can be retried', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  await product.services.jobs.stop()
  const { id } = await ann.addPicture('a.avi', avi)
  await product.services.db.updateTable('jobs').set({ attempts: 5 }).where('kind', '=', 'make-playable').execute()
  await product.restart()
  await product.settled()
  const { playback, processingError }: Media = (await ann.get(`/api/media/${id}`)).json()
  assert.deepEqual([playback, processingError], ['failed', 'This video could not be made playable.'])
  assert.equal((await ann.post(`/api/media/${id}/reprocess`)).statusCode, 200)
})

onOneDatabase('a video that was ready before its process crashed has not failed', async (context) => {
  const product = await testApp(context)
  const { ann, media } = await withVideo(product, 'a.avi', avi)
  const { db, jobs } = product.services
  const { blob } = await db.selectFrom('media').select('blob').executeTakeFirstOrThrow()
  await jobs.stop()
  await jobs.enqueue(db, 'make-playable', { blob })
  await db.updateTable('jobs').set({ attempts: 5 }).where('kind', '=', 'make-playable').execute()
  await product.restart()
  await product.settled()
  const { playback, processingError }: Media = (await ann.get(`/api/media/${media.id}`)).json()
  assert.deepEqual([playback, processingError], ['rendition', null])
})

onOneDatabase('a missing playable version is created again on request', async (context) => {
  const product = await testApp(context)
  const { ann, media } = await withVideo(product, 'a.avi', avi)
  const { blob } = await product.services.db.selectFrom('media').select('blob').executeTakeFirstOrThrow()
  await product.services.storage.derived.remove(blob)
  const noRoom = () => Promise.reject(storageFull())
  context.mock.method(product.services.jobs, 'enqueue', noRoom, { times: 1 })
  assert.equal((await ann.get(media.playbackUrl!)).statusCode, 507)
  assert.equal((await ann.get(media.playbackUrl!)).statusCode, 404)
  const waiting: Media = (await ann.get(`/api/media/${media.id}`)).json()
  assert.deepEqual([waiting.playback === 'pending' || waiting.playback === 'rendition'], [true])
  await product.settled()
  const again: Media = (await ann.get(`/api/media/${media.id}`)).json()
  assert.equal(again.playback, 'rendition')
  assert.equal((await ann.get(again.playbackUrl!)).statusCode, 200)
})

test('a video that cannot be made playable shows the reason and leaves no job', async (context) => {
  const product = await testApp(context)
  context.mock.method(product.services.videos, 'makePlayable', () =>
    Promise.reject(new AppError('corrupt-video', 415, 'This video is damaged and cannot be read.')),
  )
  const { ann, media } = await withVideo(product, 'a.avi', avi)
  assert.deepEqual([media.playback, media.processingError], ['failed', 'This video is damaged and cannot be read.'])
  assert.equal(media.playbackUrl, media.originalUrl, 'a browser may still play it')
  assert.equal((await ann.get(media.thumbnailUrl)).statusCode, 200)
  const jobs = await product.services.db.selectFrom('jobs').selectAll().where('kind', 'like', 'make-%').execute()
  assert.deepEqual(jobs, [])
})

test('copying a video without a sprite does not retry creating one', async (context) => {
  const product = await testApp(context)
  context.mock.method(product.services.videos, 'sprite', () =>
    Promise.reject(new AppError('corrupt-video', 415, 'This video is damaged and cannot be read.')),
  )
  const { ann, media } = await withVideo(product, 'a.avi', avi)
  const { id } = (await ann.post('/api/collections', { name: 'Films' })).json()
  await ann.post(`/api/collections/${id}/media/${media.id}`)
  const copies = [
    await ann.post(`/api/media/${media.id}/copy`),
    await ann.post('/api/media/bulk-copy', { mediaIds: [media.id] }),
    await ann.post(`/api/collections/${id}/duplicate`, { name: 'Two' }),
  ]
  for (const { statusCode, body } of copies) assert.ok(statusCode < 300, body)
  await product.settled()
  const jobs = await product.services.db.selectFrom('jobs').select('status').where('kind', '=', 'make-sprite').execute()
  assert.deepEqual(jobs, [{ status: 'failed' }])
})

onOneDatabase('a temporary failure does not mark a video as failed', async (context) => {
  const product = await testApp(context)
  const making = context.mock.method(product.services.videos, 'makePlayable', () =>
    Promise.reject(new Error('no room in memory')),
  )
  const { ann, media } = await withVideo(product, 'a.avi', avi)
  assert.deepEqual([media.playback, media.processingError], ['pending', null])

  const begun = Promise.withResolvers<void>()
  making.mock.mockImplementation(async ({ signal }: { signal?: AbortSignal }) => {
    begun.resolve()
    await new Promise((resolve) => signal?.addEventListener('abort', resolve))
    throw new AppError('corrupt-video', 415, 'The encoder was ended.')
  })
  const tryNow = () =>
    product.services.db.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'make-playable').execute()
  await tryNow()
  await begun.promise
  await product.restart()
  await tryNow()
  await product.settled()
  const made: Media = (await ann.get(`/api/media/${media.id}`)).json()
  assert.deepEqual([made.playback, made.processingError], ['rendition', null])
})

test('a retry by the owner processes a failed video again for all users who have it', async (context) => {
  const product = await testApp(context)
  const { videos, events } = product.services
  const broken = context.mock.method(
    videos,
    'makePlayable',
    async ({ onProgress }: { onProgress?: (fraction: number) => void }) => {
      onProgress?.(0.5)
      throw new AppError('corrupt-video', 415, 'This video is damaged and cannot be read.')
    },
  )
  const { ann, media } = await withVideo(product, 'a.avi', avi)
  const ben = await product.register()
  const same = await ben.addPicture('b.avi', avi)
  await product.settled()
  const retry = (person: typeof ann, id: number) => person.post(`/api/media/${id}/reprocess`)
  assert.equal((await retry(ben, media.id)).statusCode, 404, 'not his')
  assert.equal((await retry(product.visitor(), media.id)).statusCode, 401)

  const told = [
    { id: media.id, heard: await collectEvents(events, ann.id) },
    { id: same.id, heard: await collectEvents(events, ben.id) },
  ]
  const again = await retry(ann, media.id)
  assert.equal(again.statusCode, 200, again.body)
  assert.deepEqual([again.json().playback, again.json().processingError], ['pending', null])
  await product.settled()
  const failedAgain: Media = (await ann.get(`/api/media/${media.id}`)).json()
  assert.deepEqual(
    [failedAgain.playback, failedAgain.processingError],
    ['failed', 'This video is damaged and cannot be read.'],
  )
  for (const { id, heard } of told) {
    await until('the last progress event', () => heard.length >= 3)
    const [item, progress] = [
      { type: 'media', ids: [id] },
      { type: 'playback', id, fraction: 0.5 },
    ]
    // The work may start before the response to the request.
    const inOrder = [...heard.slice(0, 2).sort((one, other) => (one.type < other.type ? -1 : 1)), ...heard.slice(2)]
    assert.deepEqual(
      inOrder,
      [item, progress, item],
      'each user gets events of their own items only, and the final one last',
    )
  }

  broken.mock.restore()
  const answers = await Promise.all([retry(ann, media.id), retry(ann, media.id)])
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 409])
  const refused = answers.find(({ statusCode }) => statusCode === 409)
  assert.equal(refused?.json().message, 'This video is already being prepared.')
  await product.settled()
  for (const [person, id] of [
    [ann, media.id],
    [ben, same.id],
  ] as const) {
    const made: Media = (await person.get(`/api/media/${id}`)).json()
    assert.deepEqual([made.playback, made.processingError], ['rendition', null])
    assert.equal((await person.get(made.playbackUrl!)).statusCode, 200)
  }
  assert.equal((await retry(ann, media.id)).json().message, 'This video already plays.')
  const picture = await ann.addPicture()
  const answer = await retry(ann, picture.id)
  assert.deepEqual([answer.statusCode, answer.json().message], [409, 'Only videos can be processed again.'])
  assert.equal((await retry(ann, 999_999)).statusCode, 404)
})

// SQLite has a single writer.
if (isOnPostgres) {
  test('retrying a video while its copies are edited does not deadlock', async (context) => {
    const product = await testApp(context)
    const ann = await product.register()
    const { db, jobs } = product.services
    await jobs.stop()
    const [older, newer] = (await insertManyMedia(db, ann.id, 2)) as [number, number]
    const { blob } = await db.selectFrom('media').select('blob').where('id', '=', older).executeTakeFirstOrThrow()
    await db.updateTable('media').set({ blob, type: 'video', playback: 'failed' }).execute()
    // The row that was changed last is read last.
    await ann.patch(`/api/media/${older}`, { filename: 'older.avi' })
    const held = await holdTransaction(db, (transaction) => lockMedia(transaction, [newer]))
    const trying = ann.post(`/api/media/${older}/reprocess`)
    await untilBlocked(db, 1)
    const describing = ann.post('/api/media/bulk-description', { mediaIds: [older, newer], description: 'A film' })
    await untilBlocked(db, 2)
    await held.end()
    const answers = [await trying, await describing]
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [200, 200],
      answers.map(({ body }) => body).join('\n'),
    )
  })
}
