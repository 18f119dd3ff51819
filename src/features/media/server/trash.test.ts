import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asChange } from '#platform/server/db/change.ts'
import { untilBlocked } from '#tests/support/held-transaction.ts'
import { isOnPostgres } from '#tests/support/postgres.ts'
import { seedLibrary } from '#tests/support/seed-library.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { tidyMedia } from './janitor.ts'
import { beginChange, replaceAlone } from './library-pause.ts'
import { updateMedia } from './store.ts'
import { countTimeInTrash, recordTrashCheck } from './trash.ts'

const dayMs = 24 * 3600_000
const total = async (user: TestUser, query = '') =>
  (await user.get(`/api/media?${query}`)).json().pagination.totalCount as number

test('the trash hides an item everywhere, restores it completely, and can be emptied permanently', async (context) => {
  const { register, visitor } = await testApp(context)
  const ann = await register()
  const [one, two] = [await ann.addPicture('one.jpg'), await ann.addPicture('two.jpg')]
  await ann.patch(`/api/media/${one.id}`, { isFavorite: true })
  await ann.post(`/api/media/${one.id}/public`)
  const collection = (await ann.post('/api/collections', { name: 'Chosen' })).json()
  await ann.post(`/api/collections/${collection.id}/media/${one.id}`)

  const trashed = await ann.post('/api/media/bulk-trash', { mediaIds: [one.id, one.id, 999_999] })
  assert.deepEqual(trashed.json(), {
    summary: { successful: 1, failed: 1 },
    errors: [{ id: 999_999, message: 'Media not found' }],
  })
  assert.deepEqual([await total(ann), await total(ann, 'trashed=true'), await total(ann, 'favorite=true')], [1, 1, 0])
  assert.equal(await total(ann, `collectionId=${collection.id}`), 0)
  assert.equal((await visitor().get(one.originalUrl)).statusCode, 404)
  assert.equal((await ann.get(one.originalUrl)).statusCode, 200, 'the owner still sees it in the trash')
  assert.ok((await ann.get(`/api/media/${one.id}`)).json().trashedAt)

  await ann.post('/api/media/bulk-restore', { mediaIds: [one.id] })
  const restored = (await ann.get(`/api/media/${one.id}`)).json()
  assert.deepEqual([restored.trashedAt, restored.isFavorite, restored.collections.length], [null, true, 1])
  assert.deepEqual([await total(ann), await total(ann, 'favorite=true')], [2, 1])
  assert.equal(await total(ann, `collectionId=${collection.id}`), 1)
  assert.equal((await visitor().get(one.originalUrl)).statusCode, 200)

  await ann.post('/api/media/bulk-trash', { mediaIds: [one.id, two.id] })
  assert.deepEqual((await ann.delete('/api/trash')).json(), { deleted: 2 })
  assert.deepEqual((await ann.delete('/api/trash')).json(), { deleted: 0 })
  assert.deepEqual([await total(ann), await total(ann, 'trashed=true')], [0, 0])
  assert.equal((await ann.get('/api/user/storage')).json().usedBytes, 0)
})

test("emptying a large trash does not touch other users' trash", async (context) => {
  const { register, services } = await testApp(context)
  const [ann, bob] = [await register(), await register()]
  const trashed = { is_trashed: 1 as const, trashed_at: Date.now() }
  await seedLibrary(
    services,
    ann.id,
    Array.from({ length: 1100 }, () => trashed),
  )
  await seedLibrary(services, ann.id, [{ filename: 'kept.jpg' }])
  await seedLibrary(services, bob.id, [trashed])
  assert.deepEqual((await ann.delete('/api/trash')).json(), { deleted: 1100 })
  assert.deepEqual([await total(ann), await total(ann, 'trashed=true'), await total(bob, 'trashed=true')], [1, 0, 1])
})

test('an item is deleted after 30 days in the trash and not a day earlier', async (context) => {
  const { register, services, settled } = await testApp(context)
  // The janitor's first run should not interfere.
  await settled()
  const ann = await register()
  const lyingFor = (days: number) => ({
    filename: `${days}.jpg`,
    is_trashed: 1 as const,
    trashed_at: Date.now() - days * dayMs,
  })
  await seedLibrary(services, ann.id, [
    lyingFor(31),
    lyingFor(30.01),
    lyingFor(29.9),
    { filename: 'old but wanted.jpg', created_at: 1 },
  ])
  await tidyMedia(services, 0)
  const left = (await ann.get('/api/media?trashed=true'))
    .json()
    .media.map(({ filename }: { filename: string }) => filename)
  assert.deepEqual(left, ['29.9.jpg'])
  assert.equal(await total(ann), 1)
})

test('a clock that is set ahead or back does not empty the trash', async (context) => {
  const { register, services } = await testApp(context)
  const begin = Date.now()
  context.mock.timers.enable({ apis: ['Date'], now: begin })
  const ann = await register()
  const { id } = await ann.addPicture('fresh.jpg')
  await seedLibrary(services, ann.id, [{ filename: 'old.jpg', is_trashed: 1, trashed_at: begin - 28 * dayMs }])
  await ann.post('/api/media/bulk-trash', { mediaIds: [id] })
  await tidyMedia(services, 0)
  const left = async () => total(ann, 'trashed=true')
  const lookOnDay = async (day: number) => {
    context.mock.timers.setTime(begin + day * dayMs)
    // Two processes may run this at the same moment; the gap must count once.
    await Promise.all([tidyMedia(services, 0), tidyMedia(services, 0)])
  }

  await lookOnDay(20)
  assert.equal(await left(), 2, 'twenty days passed by the clock alone; one of them counts')
  await lookOnDay(0)
  assert.equal(await left(), 2)
  assert.equal((await ann.get(`/api/media/${id}`)).json().trashedAt, new Date(begin).toISOString())

  // The clock jump has moved items that had been there for 28 days to nine days ago.
  for (let day = 1; day <= 20; day++) await lookOnDay(day)
  assert.equal(await left(), 2)
  for (const day of [21, 21.5]) await lookOnDay(day)
  assert.equal(await left(), 1, 'days between regular checks count')
  for (let day = 22; day <= 29; day++) await lookOnDay(day)
  assert.equal(await left(), 1)
  for (const day of [30, 30.1]) await lookOnDay(day)
  assert.equal(await left(), 0)
})

test('invalid ids and too many ids are refused', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  for (const mediaIds of [[], ['x'], [0], null, Array.from({ length: 10_001 }, (_, index) => index + 1)]) {
    for (const call of ['bulk-trash', 'bulk-restore'])
      assert.equal((await ann.post(`/api/media/${call}`, { mediaIds })).statusCode, 400)
  }
})

if (isOnPostgres) {
  test('correcting the time in the trash while its items change causes no failure', async (context) => {
    const { register, services } = await testApp(context)
    // No scheduled job may check the clock during the test.
    await services.jobs.stop()
    const { db } = services
    const ann = await register()
    const begin = Date.now()
    const drafts = [1, 2].map(() => ({ is_trashed: 1 as const, trashed_at: begin }))
    const [first, second] = await seedLibrary(services, ann.id, drafts)
    // Updated, so that the database finds this row after the second one.
    await updateMedia(db, first!, {})
    await countTimeInTrash(db, begin)
    let counted: Promise<void> | undefined
    await db.transaction().execute(async (transaction) => {
      await updateMedia(transaction, first!, {})
      counted = countTimeInTrash(db, begin + 10 * dayMs)
      await untilBlocked(db, 1)
      await updateMedia(transaction, second!, {})
    })
    await counted
    const times = await db.selectFrom('media').select('trashed_at').execute()
    assert.deepEqual(
      times.map(({ trashed_at }) => trashed_at! - begin),
      [9 * dayMs, 9 * dayMs],
    )
  })

  test('counting the time in the trash while the library is replaced causes no failure', async (context) => {
    const { register, services } = await testApp(context)
    // No scheduled job may check the clock during the test.
    await services.jobs.stop()
    const { db } = services
    const ann = await register()
    const begin = Date.now()
    await seedLibrary(services, ann.id, [{ is_trashed: 1, trashed_at: begin }])
    await countTimeInTrash(db, begin)
    const counted: Promise<void>[] = []
    const check = await beginChange(db)
    await replaceAlone(db, async (transaction) => {
      counted.push(asChange(check, () => countTimeInTrash(db, begin + 10 * dayMs)))
      await untilBlocked(db, 1)
      await recordTrashCheck(transaction, begin)
    })
    await Promise.all(counted)
    assert.equal(counted.length, 1, 'the library is replaced on the first attempt')
  })
}
