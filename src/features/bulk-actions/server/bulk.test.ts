import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { makePng } from '#tests/support/pictures.ts'
import { isOnPostgres } from '#tests/support/postgres.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { until } from '#tests/support/until.ts'
import { addPictures } from './bulk.fixture.ts'

async function namesOf(user: TestUser, ids: number[]) {
  return Promise.all(ids.map(async (id) => (await user.get(`/api/media/${id}`)).json().filename))
}

test('a bulk rename numbers items in the selected order, keeps extensions, and can be undone', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const ids = await addPictures(ann, ['b.jpg', 'a.jpg', 'c.png.jpg'])
  const answer = await ann.post('/api/media/bulk-rename', { mediaIds: ids, baseName: 'Trip', prefix: '2026 ' })
  assert.equal(answer.statusCode, 200, answer.body)
  assert.deepEqual(answer.json().summary, { successful: 3, failed: 0 })
  assert.deepEqual(await namesOf(ann, ids), ['2026Trip-1.jpg', '2026Trip-2.jpg', '2026Trip-3.jpg'])
  assert.equal((await ann.get('/api/media?search=trip-2')).json().media[0].id, ids[1], 'found by its new name')

  await ann.patch(`/api/media/${ids[0]}`, { filename: 'mine.jpg' })
  const undo = await ann.post(`/api/history/${answer.json().changeId}/undo`)
  assert.deepEqual([undo.json().undone, undo.json().kept], [2, 1])
  assert.equal(undo.json().message, '2 items restored. 1 item was changed since and skipped.')
  assert.deepEqual(await namesOf(ann, ids), ['mine.jpg', 'a.jpg', 'c.png.jpg'], 'a later change is not overwritten')
  assert.equal((await ann.post(`/api/history/${answer.json().changeId}/undo`)).statusCode, 409)
  assert.equal((await ann.get('/api/history')).json().changes[0].undoneAt !== null, true)
})

test('a bulk rename without a base name puts the prefix before the current names', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const ids = await addPictures(ann, ['a.jpg'])
  await ann.post('/api/media/bulk-rename', { mediaIds: ids, prefix: 'x-' })
  assert.deepEqual(await namesOf(ann, ids), ['x-a.jpg'])
})

test('bulk tags are added once in lower case, and undo removes only the added ones', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const ids = await addPictures(ann, ['a.jpg', 'b.jpg'])
  await ann.patch(`/api/media/${ids[0]}`, { aiTags: ['beach'] })
  const answer = (await ann.post('/api/media/bulk-add-tags', { mediaIds: ids, tags: [' Beach ', 'SUN'] })).json()
  assert.deepEqual(answer.summary, { successful: 2, failed: 0, addedTags: 3 })
  assert.equal(answer.message, 'Added 2 tags to 2 items.')
  assert.deepEqual((await ann.get(`/api/media/${ids[1]}`)).json().aiTags, ['beach', 'sun'])
  await ann.post(`/api/history/${answer.changeId}/undo`)
  assert.deepEqual((await ann.get(`/api/media/${ids[0]}`)).json().aiTags, ['beach'])
  assert.deepEqual((await ann.get(`/api/media/${ids[1]}`)).json().aiTags, [])
})

test('an added tag comes last, even after an earlier tag was removed', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const mediaIds = await addPictures(ann, ['a.jpg'])
  const add = async (tag: string) =>
    (await ann.post('/api/media/bulk-add-tags', { mediaIds, tags: [tag] })).json().changeId as number
  await add('sun')
  const second = await add('sand')
  await add('water')
  await ann.post(`/api/history/${second}/undo`)
  await add('beach')
  assert.deepEqual((await ann.get(`/api/media/${mediaIds[0]}`)).json().aiTags, ['sun', 'water', 'beach'])
})

test('an item without room for the new tags fails alone and keeps its own tags', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const [full, other] = (await addPictures(ann, ['a.jpg', 'b.jpg'])) as [number, number]
  const aiTags = Array.from({ length: 199 }, (_, index) => `tag ${index}`)
  await ann.patch(`/api/media/${full}`, { aiTags })
  const add = async (mediaIds: number[], tags: string[]) =>
    (await ann.post('/api/media/bulk-add-tags', { mediaIds, tags })).json()
  const answer = await add([full, other], ['sea', 'sun'])
  assert.deepEqual(answer.summary, { successful: 1, failed: 1, addedTags: 2 })
  assert.deepEqual(answer.errors, [{ id: full, message: 'An item can have up to 200 tags.' }])
  assert.deepEqual((await ann.get(`/api/media/${full}`)).json().aiTags, aiTags)
  const [{ title, itemCount }] = (await ann.get('/api/history')).json().changes
  assert.deepEqual([title, itemCount], ['Added "sea", "sun"', 1])
  assert.deepEqual((await add([full], ['sea'])).summary, { successful: 1, failed: 0, addedTags: 1 })
  assert.deepEqual(
    (await add([full], ['sea'])).summary,
    { successful: 1, failed: 0, addedTags: 0 },
    'the tag already exists',
  )
  assert.deepEqual((await add([full], ['sun'])).summary, { successful: 0, failed: 1, addedTags: 0 })
})

test('a bulk description can be undone', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const ids = await addPictures(ann, ['a.jpg', 'b.jpg'])
  await ann.patch(`/api/media/${ids[0]}`, { userDescription: 'before' })
  const answer = (
    await ann.post('/api/media/bulk-description', { mediaIds: ids, description: ' In the harbour ' })
  ).json()
  assert.equal((await ann.get('/api/media?search=harbour')).json().media.length, 2)
  await ann.post(`/api/history/${answer.changeId}/undo`)
  assert.equal((await ann.get(`/api/media/${ids[0]}`)).json().userDescription, 'before')
  assert.equal((await ann.get(`/api/media/${ids[1]}`)).json().userDescription, null)
})

test('repeating a bulk description after a lost response keeps the original undo', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const ids = await addPictures(ann, ['a.jpg', 'b.jpg'])
  await ann.patch(`/api/media/${ids[0]}`, { userDescription: 'before' })
  const describe = async () =>
    (await ann.post('/api/media/bulk-description', { mediaIds: ids, description: 'In the harbour' })).json()
  const first = await describe()
  const again = await describe()
  assert.deepEqual(again.summary, { successful: 2, failed: 0 })
  assert.equal(again.changeId, undefined, 'a change without effect cannot be undone')
  const { changes } = (await ann.get('/api/history')).json()
  assert.deepEqual(
    changes.map(({ id }: { id: number }) => id),
    [first.changeId],
  )
  await ann.post(`/api/history/${first.changeId}/undo`)
  assert.equal((await ann.get(`/api/media/${ids[0]}`)).json().userDescription, 'before')
})

test('a bulk conversion reports the savings and notifies open pages, and a missing item fails alone', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const told: unknown[] = []
  services.events.subscribe(ann.id, undefined, (_id, { type, ids }) => type === 'media' && told.push(ids))
  const first = await ann.addPicture('a.png', await makePng({ width: 200, height: 150 }))
  const answer = await ann.post('/api/media/bulk-convert-webp', {
    mediaIds: [999_999, first.id],
    quality: 60,
    deleteOriginal: true,
  })
  assert.equal(answer.statusCode, 200, answer.body)
  const { summary, formattedSavings, savedBytes, errors } = answer.json()
  assert.deepEqual(summary, { successful: 1, failed: 1 })
  assert.deepEqual(errors, [{ id: 999_999, message: 'Media not found' }])
  const after = (await ann.get(`/api/media/${first.id}`)).json()
  assert.equal(after.mimeType, 'image/webp')
  assert.equal(savedBytes, first.size - after.size)
  assert.match(formattedSavings, /KB$/)
  const last = await ann.addPicture()
  await until('the event of the last upload has arrived', () => told.flat().includes(last.id))
  assert.deepEqual(told, [[first.id], [first.id], [last.id]])
})

test('repeating a run with the same id returns its result and converts nothing twice', async (context) => {
  const { register } = await testApp(context)
  const [ann, ben] = [await register(), await register()]
  const { id } = await ann.addPicture('a.png', await makePng({ width: 200, height: 150 }))
  const asked = { mediaIds: [id], quality: 60, runId: 'once' }
  const convert = (body: object) => ann.post('/api/media/bulk-convert-webp', body)
  const answers = await Promise.all([convert(asked), convert(asked)])
  answers.push(await convert(asked))
  for (const answer of answers) assert.equal(answer.json().message, answers[0]!.json().message, answer.body)
  assert.equal((await ann.get('/api/media')).json().pagination.totalCount, 2)
  for (const other of [{ mediaIds: [id, 999_999] }, { quality: 61 }, { deleteOriginal: true }])
    assert.equal((await convert({ ...asked, ...other })).statusCode, 409)
  const foreign = await ben.post('/api/media/bulk-convert-webp', asked)
  assert.equal(foreign.json().message, 'This run has already been started.')
})

test('bulk publishing, copying and deleting work on several items', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const ids = await addPictures(ann, ['a.jpg', 'b.jpg'])
  const { urls } = (await ann.post('/api/media/bulk-public', { mediaIds: ids })).json()
  assert.equal(urls.length, 2)
  assert.match(urls[0].publicUrl, /^http.*\/public\/a-[a-z0-9]{6}$/)
  const copied = await ann.post('/api/media/bulk-copy', { mediaIds: ids })
  const { copied: count, media } = copied.json()
  assert.deepEqual([copied.statusCode, count, media[0].filename], [201, 2, 'Copy of a.jpg'])
  const deleted = (await ann.post('/api/media/bulk-delete', { mediaIds: [...ids, 999_999] })).json()
  assert.deepEqual(deleted.summary, { successful: 2, failed: 1 })
  assert.equal((await ann.get('/api/media')).json().pagination.totalCount, 2)
})

test('a bulk delete from the trash keeps an item that was restored in the meantime', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const [rescued, unwanted] = await addPictures(ann, ['rescued.jpg', 'unwanted.jpg'])
  await ann.post('/api/media/bulk-trash', { mediaIds: [rescued, unwanted] })
  await ann.post('/api/media/bulk-restore', { mediaIds: [rescued] })
  const body = { mediaIds: [rescued, unwanted], onlyTrashed: true }
  const { message, summary, errors } = (await ann.post('/api/media/bulk-delete', body)).json()
  assert.deepEqual([message, summary], ['Deleted 1 item.', { successful: 1, failed: 1 }])
  assert.deepEqual(errors, [{ id: rescued, message: 'It is no longer in the trash.' }])
  assert.equal((await ann.get(`/api/media/${rescued}`)).statusCode, 200)
  assert.equal((await ann.get(`/api/media/${unwanted}`)).statusCode, 404)
  const again = await ann.post('/api/media/bulk-delete', { mediaIds: [rescued], onlyTrashed: true })
  assert.deepEqual(again.json().summary, { successful: 0, failed: 1 })
  await ann.post('/api/media/bulk-delete', { mediaIds: [rescued] })
  assert.equal(
    (await ann.get(`/api/media/${rescued}`)).statusCode,
    404,
    'without onlyTrashed the item is deleted anywhere',
  )
})

test('every bulk call refuses empty lists and too many ids and changes nothing', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture('hers.jpg')
  const before = (await ann.get(`/api/media/${id}`)).json()
  const rest = { baseName: 'x', tags: ['x'], description: 'x', format: 'csv' }
  const changes = ['rename', 'convert-webp', 'add-tags', 'description', 'delete', 'public', 'copy', 'trash', 'restore']
  for (const path of [...changes.map((name) => `bulk-${name}`), 'export']) {
    for (const mediaIds of [[], Array.from({ length: 10_001 }, (_, index) => index + id)]) {
      const answer = await ann.post(`/api/media/${path}`, { mediaIds, ...rest })
      assert.equal(answer.statusCode, 400, `${path}: ${answer.body}`)
    }
  }
  assert.deepEqual((await ann.get(`/api/media/${id}`)).json(), before)
})

test('a bulk change that fails at its first items leaves no history entry', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const mediaIds = await addPictures(ann, ['a.jpg'])
  const refusal = isOnPostgres
    ? `ALTER TABLE media ADD CONSTRAINT refused CHECK (filename NOT LIKE 'refused%')`
    : `CREATE TRIGGER refused BEFORE UPDATE OF filename ON media WHEN new.filename LIKE 'refused%' BEGIN SELECT RAISE(ABORT, 'no'); END`
  await sql.raw(refusal).execute(services.db)
  assert.equal((await ann.post('/api/media/bulk-rename', { mediaIds, baseName: 'refused' })).statusCode, 500)
  assert.deepEqual((await ann.get('/api/history')).json().changes, [])
})

test('two concurrent bulk changes of the same items both end, and nothing is half written', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const ids = await addPictures(ann, ['a.jpg', 'b.jpg', 'c.jpg'])
  const answers = await Promise.all(
    ['One', 'Two'].map((baseName) => ann.post('/api/media/bulk-rename', { mediaIds: ids, baseName })),
  )
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [200, 200],
  )
  const names = await namesOf(ann, ids)
  assert.ok(
    ['One', 'Two'].some((base) => names.every((name, index) => name === `${base}-${index + 1}.jpg`)),
    names.join(),
  )
})

test('recent uploads are taken from the requested list only', async (context) => {
  const { register } = await testApp(context)
  const [ann, ben] = [await register(), await register()]
  const [first, second, third] = (await addPictures(ann, ['one.jpg', 'two.jpg', 'three.jpg'])) as [
    number,
    number,
    number,
  ]
  const { id } = (await ann.post('/api/collections', { name: 'Two of them' })).json()
  for (const member of [first, third]) await ann.post(`/api/collections/${id}/media/${member}`)
  await ann.patch(`/api/media/${second}`, { isFavorite: true })
  const recent = async (query: string) => {
    const { media } = (await ann.get(`/api/media/recent-uploads${query}`)).json()
    return media.map((upload: { id: number }) => upload.id)
  }
  assert.deepEqual(await recent(''), [third, second, first], 'newest first')
  assert.deepEqual(await recent(`?collectionId=${id}`), [third, first])
  assert.deepEqual(await recent('?favorite=true'), [second])
  assert.deepEqual(await recent('?search=three&type=image'), [third])
  assert.deepEqual(await recent('?type=video'), [])
  await ann.post('/api/media/bulk-trash', { mediaIds: [first] })
  assert.deepEqual(await recent(`?collectionId=${id}`), [third])
  assert.equal((await ben.get(`/api/media/recent-uploads?collectionId=${id}`)).statusCode, 404)
})
