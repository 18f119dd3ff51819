import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdTransaction, untilBlocked } from '#tests/support/held-transaction.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { storedIn } from '#tests/support/storages.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { findSlugTarget } from './slugs.ts'
import { deleteMediaRows } from './store.ts'

const usage = async (user: TestUser) => {
  const { usedBytes, totalFiles } = (await user.get('/api/user/storage')).json()
  return [usedBytes, totalFiles]
}

test('a patch changes the given fields, trimmed, and leaves the others', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture('one.jpg')
  const renamed = await ann.patch(`/api/media/${media.id}`, { filename: '  two.jpg ' })
  assert.equal(renamed.statusCode, 200, renamed.body)
  assert.equal(renamed.json().filename, 'two.jpg')
  await ann.addPicture('other.jpg')
  const byName = (await ann.get('/api/media?sort=name')).json().media
  assert.deepEqual(
    byName.map(({ filename }: { filename: string }) => filename),
    ['other.jpg', 'two.jpg'],
    'sorted by its new name',
  )
  const described = (
    await ann.patch(`/api/media/${media.id}`, {
      userDescription: ' By the sea ',
      aiDescription: 'A beach',
      isFavorite: true,
    })
  ).json()
  assert.deepEqual(
    [described.filename, described.userDescription, described.aiDescription, described.isFavorite],
    ['two.jpg', 'By the sea', 'A beach', true],
  )
  const cleared = (await ann.patch(`/api/media/${media.id}`, { userDescription: '', aiDescription: null })).json()
  assert.deepEqual([cleared.userDescription, cleared.aiDescription, cleared.isFavorite], [null, null, true])
  assert.ok(cleared.updatedAt >= media.updatedAt)
  assert.equal(cleared.createdAt, media.createdAt)
})

test('a patch may contain a whole item: unknown fields are dropped, and unchanged AI texts stay AI texts', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture('one.jpg')
  const words = { ai_description: 'A beach', ai_description_source: 'ai' as const }
  await services.db.updateTable('media').set(words).execute()
  const answer = await ann.patch(`/api/media/${media.id}`, {
    ...media,
    aiDescription: 'A beach',
    id: 999,
    size: 1,
    viewCount: 1000,
    ownerId: 2,
    publicUrlSlug: 'stolen',
    filename: 'two.jpg',
    __proto__: { isAdmin: true },
  })
  assert.equal(answer.statusCode, 200, answer.body)
  const { filename, size, viewCount, id, publicUrlSlug } = answer.json()
  assert.deepEqual([filename, size, viewCount, id, publicUrlSlug], ['two.jpg', media.size, 0, media.id, null])
  const written = () => services.db.selectFrom('media').select(['ai_description', 'ai_description_source']).execute()
  assert.deepEqual(await written(), [words])
  await ann.patch(`/api/media/${media.id}`, { aiDescription: 'My beach' })
  assert.deepEqual(await written(), [{ ai_description: 'My beach', ai_description_source: 'person' }])
})

test('names, descriptions and tags beyond their limits are refused by field', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture('one.jpg')
  const wrong: [body: object, field: string][] = [
    [{ filename: '   ' }, 'filename'],
    [{ filename: 'x'.repeat(201) }, 'filename'],
    [{ filename: null }, 'filename'],
    [{ userDescription: 'x'.repeat(10_001) }, 'userDescription'],
    [{ aiTags: 'beach' }, 'aiTags'],
    [{ aiTags: ['  '] }, 'aiTags.0'],
    [{ aiTags: ['x'.repeat(51)] }, 'aiTags.0'],
    [{ aiTags: Array.from({ length: 201 }, (_, index) => `t${index}`) }, 'aiTags'],
    [{ isFavorite: 'yes' }, 'isFavorite'],
  ]
  for (const [body, field] of wrong) {
    const answer = await ann.patch(`/api/media/${media.id}`, body)
    assert.equal(answer.statusCode, 400, JSON.stringify(body).slice(0, 60))
    assert.equal(answer.json().field, field)
  }
  assert.equal((await ann.patch(`/api/media/${media.id}`, { filename: 'a\u0000b.jpg' })).statusCode, 400)
  const longest = `${'x'.repeat(196)}.jpg`
  assert.equal((await ann.patch(`/api/media/${media.id}`, { filename: longest })).json().filename, longest)
  const odd = await ann.patch(`/api/media/${media.id}`, { filename: 'AC/DC\u202e/gpj.exe' })
  assert.equal(odd.json().filename, 'AC_DC_gpj.exe')
  for (const id of ['0', '-1', 'abc', '1.5', '99999999999999999999'])
    assert.equal((await ann.get(`/api/media/${id}`)).statusCode, 400, id)
  assert.equal((await ann.get('/api/media/999999')).statusCode, 404)
})

test("tags are unique and lower-case, removed ones are remembered, and kept ones become the user's own", async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture()
  const foundByAi = (tag: string, position: number) => ({
    media_id: id,
    owner_id: ann.id,
    tag,
    position,
    source: 'ai' as const,
    score: 0.8,
  })
  await services.db.insertInto('media_tags').values(['dog', 'beach', 'sea'].map(foundByAi)).execute()
  const unchanged = (
    await ann.patch(`/api/media/${id}`, { userDescription: 'x', aiTags: ['beach', 'dog', 'sea'] })
  ).json()
  assert.deepEqual(unchanged.aiTags, ['beach', 'dog', 'sea'], 'in the order that was sent')
  assert.ok(unchanged.tagOrigins.every(({ source }: { source: string }) => source === 'ai'))
  const changed = (await ann.patch(`/api/media/${id}`, { aiTags: [' Sunset ', 'sunset', 'SEA', 'dog'] })).json()
  assert.deepEqual(changed.aiTags, ['sunset', 'sea', 'dog'])
  assert.ok(changed.tagOrigins.every(({ source }: { source: string }) => source === 'person'))
  const removed = async (mediaId = id) => {
    const rows = await services.db.selectFrom('removed_tags').select('tag').where('media_id', '=', mediaId).execute()
    return rows.map(({ tag }) => tag).sort()
  }
  assert.deepEqual(await removed(), ['beach'])
  await ann.patch(`/api/media/${id}`, { aiTags: ['beach'] })
  assert.deepEqual(
    await removed(),
    ['dog', 'sea', 'sunset'],
    'a tag that is added again is no longer marked as removed',
  )
  const copy = (await ann.post(`/api/media/${id}/copy`)).json()
  assert.deepEqual(await removed(copy.id), ['dog', 'sea', 'sunset'], 'a copy does not get the removed tag either')
  assert.deepEqual((await ann.patch(`/api/media/${id}`, { aiTags: [] })).json().aiTags, [])

  const add = (addTags: string[]) => ann.patch(`/api/media/${id}`, { addTags })
  await Promise.all([add(['Sea']), add(['dog'])])
  assert.deepEqual(
    (await add(['sunset', 'sea'])).json().aiTags.toSorted(),
    ['dog', 'sea', 'sunset'],
    'appended to the existing tags',
  )
  assert.deepEqual(await removed(), ['beach'])
  const tooMany = await add(Array.from({ length: 198 }, (_, index) => `t${index}`))
  assert.deepEqual([tooMany.statusCode, tooMany.json().message], [400, 'An item can have up to 200 tags.'])
  await ann.patch(`/api/media/${id}`, { aiTags: [] })

  await services.db.insertInto('media_tags').values(foundByAi('pier', 0)).execute()
  await ann.post('/api/media/bulk-add-tags', { mediaIds: [id], tags: ['pier', 'dog'] })
  assert.deepEqual(await removed(), ['beach', 'sea', 'sunset'], 'also when the tag is added in bulk')
  const { tagOrigins } = (await ann.get(`/api/media/${id}`)).json()
  assert.deepEqual(
    tagOrigins.map(({ tag, source }: { tag: string; source: string }) => [tag, source]),
    [
      ['pier', 'person'],
      ['dog', 'person'],
    ],
  )
  const halved = await ann.patch(`/api/media/${id}`, { aiTags: ['cut\ud83d', 'cut\ud83e'] })
  assert.deepEqual(halved.json().aiTags, ['cut\ufffd'], 'lone surrogates are all replaced')
})

test('concurrent changes of different fields do not undo each other', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture('one.jpg')
  const answers = await Promise.all([
    ann.patch(`/api/media/${id}`, { filename: 'renamed.jpg' }),
    ann.patch(`/api/media/${id}`, { isFavorite: true }),
    ann.patch(`/api/media/${id}`, { userDescription: 'described' }),
    ann.post(`/api/media/${id}/public`),
    ann.patch(`/api/media/${id}`, { aiTags: ['tagged'] }),
  ])
  for (const answer of answers) assert.equal(answer.statusCode, 200, answer.body)
  const media = (await ann.get(`/api/media/${id}`)).json()
  assert.deepEqual(
    [media.filename, media.isFavorite, media.userDescription, media.aiTags, media.publicUrl !== null],
    ['renamed.jpg', true, 'described', ['tagged'], true],
  )
})

test('deleting an item permanently removes its files and address and frees its quota', async (context) => {
  const { register, visitor, services } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture('one.jpg')
  const { publicUrlSlug } = (await ann.post(`/api/media/${media.id}/public`)).json()
  const collection = (await ann.post('/api/collections', { name: 'Of the same number' })).json()
  assert.equal(collection.id, media.id)
  const shared = (await ann.patch(`/api/collections/${collection.id}/visibility`, { isPublic: true })).json()
  assert.equal((await visitor().get(media.originalUrl)).statusCode, 200)
  const answer = await ann.delete(`/api/media/${media.id}`)
  assert.equal(answer.json().message, '"one.jpg" was deleted.')
  for (const url of [`/api/media/${media.id}`, media.originalUrl, media.thumbnailUrl])
    assert.equal((await ann.get(url)).statusCode, 404, url)
  assert.equal((await ann.delete(`/api/media/${media.id}`)).statusCode, 404)
  assert.equal(await findSlugTarget(services.db, 'media', publicUrlSlug), undefined)
  assert.equal(await findSlugTarget(services.db, 'collection', shared.publicSlug), collection.id)
  assert.deepEqual(await usage(ann), [0, 0])
})

test('changing an item while it is being deleted returns 404 and leaves no address reserved', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture()
  const collection = (await ann.post('/api/collections', { name: 'Summer' })).json()
  const deletion = await holdTransaction(services.db, (transaction) => deleteMediaRows(transaction, [id]))
  const answers = [
    ann.post(`/api/media/${id}/public`),
    ann.patch(`/api/media/${id}/public-url`, { publicUrlSlug: 'the-pier' }),
    ann.delete(`/api/media/${id}/public`),
    ann.patch(`/api/media/${id}`, { filename: 'other.jpg' }),
    ann.patch(`/api/media/${id}`, { aiTags: ['pier'] }),
    ann.post(`/api/collections/${collection.id}/media/${id}`),
  ]
  await untilBlocked(services.db, answers.length)
  await deletion.end()
  for (const answer of await Promise.all(answers)) assert.equal(answer.statusCode, 404, answer.body)
  assert.deepEqual(await services.db.selectFrom('slugs').selectAll().execute(), [])
})

test('a copy is named as such, shares the bytes, and has tags and texts of its own', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const media = await ann.addPicture('one.jpg')
  await ann.patch(`/api/media/${media.id}`, { aiTags: ['sea', 'dog'], userDescription: 'mine', isFavorite: true })
  await ann.post(`/api/media/${media.id}/public`)
  await ann.post('/api/media/bulk-trash', { mediaIds: [media.id] })
  await product.services.db.updateTable('media').set({ view_count: 5, ai_status: 'waiting' }).execute()
  const answer = await ann.post(`/api/media/${media.id}/copy`)
  assert.equal(answer.statusCode, 201, answer.body)
  const copy = answer.json()
  assert.deepEqual(
    [copy.filename, copy.aiTags, copy.userDescription, copy.isFavorite, copy.publicUrl, copy.viewCount],
    ['Copy of one.jpg', ['sea', 'dog'], 'mine', false, null, 0],
  )
  assert.deepEqual(
    [copy.trashedAt, copy.aiStatus],
    [null, 'none'],
    'the copy is not in the trash and has no pending analysis',
  )
  await ann.post('/api/media/bulk-restore', { mediaIds: [media.id] })
  const byName = (await ann.get('/api/media?sort=name')).json().media
  assert.deepEqual(
    byName.map(({ id }: { id: number }) => id),
    [copy.id, media.id],
  )
  assert.equal((await storedIn(product)).blobs.length, 1)
  assert.deepEqual(await usage(ann), [media.size, 2])
  await ann.delete(`/api/media/${media.id}`)
  assert.equal((await ann.get(copy.originalUrl)).statusCode, 200)
  assert.equal((await ann.get('/api/media?search=dog')).json().media[0].id, copy.id)
  assert.equal((await ann.post(`/api/media/${copy.id}/copy`)).json().filename, 'Copy of Copy of one.jpg')
})

test('two uploads of the same JPEG with different names keep both names', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const bytes = await makeJpeg()
  const [one, two] = [await ann.addPicture('a.jpg', bytes), await ann.addPicture('b.jpg', bytes)]
  const disposition = async (url: string) => (await ann.get(url)).headers['content-disposition']
  assert.equal(await disposition(one.originalUrl), 'inline; filename=a.jpg')
  assert.equal(await disposition(two.originalUrl), 'inline; filename=b.jpg')
})
