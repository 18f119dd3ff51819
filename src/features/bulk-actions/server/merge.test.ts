import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lockCounters, lockMedia } from '#features/media/server/store.ts'
import { untilBlocked } from '#tests/support/held-transaction.ts'
import { makePhoto } from '#tests/support/pictures.ts'
import { isOnPostgres } from '#tests/support/postgres.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'

const merge = async (user: TestUser, keptId: number, ...mediaIds: number[]) => {
  const answer = await user.post('/api/media/merge', { keptId, mediaIds })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json() as { message: string; changeId: number }
}
const undo = async (user: TestUser, changeId: number) => {
  const answer = await user.post(`/api/history/${changeId}/undo`)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json() as { undone: number }
}
const loadItem = async (user: TestUser, id: number) => (await user.get(`/api/media/${id}`)).json()
const publish = async (user: TestUser, id: number, slug: string) => {
  await user.post(`/api/media/${id}/public`)
  await user.patch(`/api/media/${id}/public-url`, { publicUrlSlug: slug })
}

test('a merge keeps the tags, collections, texts and heart of all items, and undo returns them', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const [{ id: kept }, { id: first }, { id: second }] = [
    await ann.addPicture('kept.jpg'),
    await ann.addPicture('first.jpg'),
    await ann.addPicture('second.jpg'),
  ]
  await ann.patch(`/api/media/${kept}`, { aiTags: ['sea'] })
  await ann.patch(`/api/media/${first}`, { aiTags: ['coast', 'sea'], userDescription: 'The first dive' })
  await ann.patch(`/api/media/${second}`, { aiTags: ['boat'], userDescription: 'Another', isFavorite: true })
  const words = services.db.updateTable('media')
  await words.set({ alt_texts: '{"en":"A boat"}', creator: 'Ada' }).where('id', '=', first).execute()
  await words.set({ alt_texts: '{"en":"A ship","de":"Ein Boot"}', title: 'Boat' }).where('id', '=', second).execute()
  const coast = (await ann.post('/api/collections', { name: 'Coast' })).json()
  await ann.post(`/api/collections/${coast.id}/media/${first}`)

  const { message, changeId } = await merge(ann, kept, first, second)
  assert.equal(message, '2 items moved to the Trash.')
  const merged = await loadItem(ann, kept)
  assert.deepEqual(merged.aiTags, ['sea', 'coast', 'boat'])
  assert.deepEqual(
    [merged.userDescription, merged.isFavorite, merged.collections[0].name],
    ['The first dive', true, 'Coast'],
  )
  const row = await services.db.selectFrom('media').selectAll().where('id', '=', kept).executeTakeFirstOrThrow()
  assert.deepEqual(
    [row.title, row.creator, JSON.parse(row.alt_texts!)],
    ['Boat', 'Ada', { en: 'A boat', de: 'Ein Boot' }],
  )
  assert.ok((await loadItem(ann, first)).trashedAt)
  const listed = (await ann.get(`/api/media?collectionId=${coast.id}`)).json().media
  assert.deepEqual(
    listed.map(({ id }: { id: number }) => id),
    [kept],
  )
  assert.equal((await ann.get('/api/media?search=boat')).json().media[0].id, kept, 'found by a tag of the other')

  assert.equal((await undo(ann, changeId)).undone, 3)
  const restored = await loadItem(ann, kept)
  assert.deepEqual(
    [restored.aiTags, restored.userDescription, restored.isFavorite, restored.collections],
    [['sea'], null, false, []],
  )
  assert.equal((await loadItem(ann, first)).trashedAt, null)
  assert.equal((await ann.get('/api/history')).json().changes[0].title, 'Merged 3 items into "kept.jpg"')
})

test('the kept item takes over a public address, other addresses redirect to it, and undo gives them back', async (context) => {
  const { register, app } = await testApp(context)
  const ann = await register()
  const [{ id: kept }, { id: first }, { id: second }] = [
    await ann.addPicture('kept.jpg'),
    await ann.addPicture('first.jpg'),
    await ann.addPicture('second.jpg'),
  ]
  await publish(ann, first, 'first-boat')
  await publish(ann, second, 'second-boat')
  const { changeId } = await merge(ann, kept, first, second)
  assert.equal((await loadItem(ann, kept)).publicUrlSlug, 'first-boat')
  assert.equal((await app.inject('/public/first-boat')).statusCode, 200)
  const other = await app.inject('/public/second-boat')
  assert.match(String(other.headers.location), /first-boat$/)
  await undo(ann, changeId)
  assert.equal((await loadItem(ann, kept)).publicUrlSlug, null)
  assert.equal((await loadItem(ann, second)).publicUrlSlug, 'second-boat')
  assert.equal((await app.inject('/public/second-boat')).statusCode, 200)
})

test('undoing a merge keeps what was changed since', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const [{ id: kept }, { id: other }] = [await ann.addPicture('kept.jpg'), await ann.addPicture('other.jpg')]
  await ann.patch(`/api/media/${other}`, { userDescription: 'Theirs' })
  await publish(ann, other, 'the-boat')
  const { changeId } = await merge(ann, kept, other)
  await ann.patch(`/api/media/${kept}`, { userDescription: 'Mine' })
  await ann.patch(`/api/media/${kept}/public-url`, { publicUrlSlug: 'my-boat' })
  await undo(ann, changeId)
  const now = await loadItem(ann, kept)
  assert.deepEqual([now.userDescription, now.publicUrlSlug], ['Mine', 'my-boat'])
  assert.equal((await loadItem(ann, other)).publicUrlSlug, 'the-boat')
})

test("a merge of another user's, trashed or no items is refused and changes nothing", async (context) => {
  const { register } = await testApp(context)
  const [ann, bob] = [await register(), await register()]
  const [{ id: own }, { id: trashed }] = [await ann.addPicture('a.jpg'), await ann.addPicture('trashed.jpg')]
  const { id: foreign } = await bob.addPicture('b.jpg')
  await ann.post('/api/media/bulk-trash', { mediaIds: [trashed] })
  const statusOf = async (user: TestUser, body: object) => (await user.post('/api/media/merge', body)).statusCode
  assert.equal(await statusOf(ann, { keptId: own, mediaIds: [foreign] }), 404)
  assert.equal(await statusOf(ann, { keptId: foreign, mediaIds: [own] }), 404)
  assert.equal(await statusOf(ann, { keptId: own, mediaIds: [trashed] }), 409)
  assert.equal(await statusOf(ann, { keptId: own, mediaIds: [own] }), 400)
  assert.equal(await statusOf(ann, { keptId: own, mediaIds: [] }), 400)
  assert.equal((await loadItem(bob, foreign)).trashedAt, null)
  assert.equal((await loadItem(ann, own)).trashedAt, null)
})

test('versions derived from a merged item become versions of the kept one, and are no duplicates of it', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const photo = await makePhoto({ width: 240, height: 160 })
  const { id: other } = await ann.addPicture('other.jpg', photo)
  await ann.post(`/api/media/${other}/convert-webp`, { quality: 60 })
  const { id: kept } = await ann.addPicture('kept.jpg', photo)
  const groups = async () => (await ann.get('/api/media/duplicates')).json().groups
  assert.deepEqual((await groups()).length, 1)
  const { changeId } = await merge(ann, kept, other)
  assert.deepEqual(await groups(), [])
  await undo(ann, changeId)
  assert.deepEqual((await groups()).length, 1)
})

test('an item that was restored before a merge is undone gets its address back, and is found by it', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const [{ id: kept }, { id: other }] = [await ann.addPicture('kept.jpg'), await ann.addPicture('other.jpg')]
  await publish(ann, other, 'the-boat')
  const { changeId } = await merge(ann, kept, other)
  await ann.post('/api/media/bulk-restore', { mediaIds: [other] })
  await undo(ann, changeId)
  assert.equal((await loadItem(ann, other)).publicUrlSlug, 'the-boat')
  const { media } = (await ann.get('/api/media?search=is:public')).json()
  assert.deepEqual(
    media.map(({ id }: { id: number }) => id),
    [other],
  )
})

if (isOnPostgres) {
  test('a merge and its undo wait for a change of a version that they move, and none of them fails', async (context) => {
    const { register, services } = await testApp(context)
    const { db } = services
    const ann = await register()
    const [{ id: kept }, { id: other }] = [await ann.addPicture('kept.jpg'), await ann.addPicture('other.jpg')]
    const { id: version } = (await ann.post(`/api/media/${other}/copy`)).json()
    /** As a move to the trash does, which counts items after it has locked them. */
    const during = async (path: string, body: object) => {
      let answering: ReturnType<TestUser['post']> | undefined
      await db.transaction().execute(async (transaction) => {
        await lockMedia(transaction, [version])
        answering = ann.post(path, body)
        await untilBlocked(db, 1)
        await lockCounters(transaction, [version])
      })
      const answer = await answering!
      assert.equal(answer.statusCode, 200, answer.body)
      return answer.json()
    }
    const { changeId } = await during('/api/media/merge', { keptId: kept, mediaIds: [other] })
    assert.equal((await during(`/api/history/${changeId}/undo`, {})).undone, 2)
  })
}
