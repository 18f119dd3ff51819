import assert from 'node:assert/strict'
import { test } from 'node:test'
import { productWithEndpoint } from '#features/analysis/server/analysis.fixture.ts'
import { seedLibrary } from '#tests/support/seed-library.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import type { LibraryTag, TagPair } from '../contract.ts'

const at = (tag: string) => `/api/tags/${encodeURIComponent(tag)}`
const countsOf = async (user: TestUser) =>
  (await user.get('/api/tags')).json().map(({ tag, count }: LibraryTag) => `${tag} ${count}`)
const originsOf = async (user: TestUser, id: number) => (await user.get(`/api/media/${id}`)).json().tagOrigins
const tagsOf = async (user: TestUser, id: number) => (await user.get(`/api/media/${id}`)).json().aiTags
const undo = async (user: TestUser, changeId: number) => (await user.post(`/api/history/${changeId}/undo`)).json()
const found = async (user: TestUser, search: string) =>
  (await user.get(`/api/media?search=${encodeURIComponent(search)}`)).json().media.length

test('tags are listed by use, without those of other users and of the trash', async (context) => {
  const { register, services } = await testApp(context)
  const [ann, bob] = [await register(), await register()]
  const [first] = await seedLibrary(services, ann.id, [{ tags: ['sea', 'sun'] }, { tags: ['sea'] }, { tags: ['old'] }])
  await seedLibrary(services, bob.id, [{ tags: ['secret'] }])
  await ann.post('/api/media/bulk-trash', { mediaIds: [first! + 2] })
  assert.deepEqual(await countsOf(ann), ['sea 2', 'sun 1'])
  assert.deepEqual((await ann.get('/api/tags?search=su')).json(), [
    { tag: 'sun', count: 1, color: null, isNever: false },
  ])
})

test('a renamed tag keeps its place, becomes the user’s own, and undo restores it exactly', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const [id] = (await seedLibrary(services, ann.id, [{ tags: ['sea', 'hund', 'sun'] }])) as [number]
  const before = await originsOf(ann, id)
  const answer = await ann.patch(at('hund'), { name: ' Dog ' })
  assert.equal(answer.statusCode, 200, answer.body)
  const { message, changed, changeId, isRunning } = answer.json()
  assert.deepEqual([message, changed, isRunning], ['Renamed to "dog" on 1 item.', 1, false])
  assert.deepEqual(await tagsOf(ann, id), ['sea', 'dog', 'sun'])
  assert.equal((await originsOf(ann, id))[1].source, 'person')
  assert.deepEqual([await found(ann, 'tag:dog'), await found(ann, 'tag:hund')], [1, 0])
  const [{ title, itemCount }] = (await ann.get('/api/history')).json().changes
  assert.deepEqual([title, itemCount], ['Renamed the tag "hund" to "dog"', 1])

  assert.equal((await undo(ann, changeId)).message, '1 item restored.')
  assert.deepEqual(await originsOf(ann, id), before)
  assert.deepEqual([await found(ann, 'tag:dog'), await found(ann, 'tag:hund')], [0, 1])
  assert.deepEqual(await countsOf(ann), ['hund 1', 'sea 1', 'sun 1'])
})

test('renaming a tag to an existing one is refused with an offer to merge', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  await seedLibrary(services, ann.id, [{ tags: ['sea', 'ocean'] }])
  const answer = await ann.patch(at('ocean'), { name: 'sea' })
  assert.equal(answer.statusCode, 409)
  const { message, canMerge, into } = answer.json()
  assert.equal(message, 'The tag "sea" already exists. Choose another name, or merge "ocean" into it.')
  assert.deepEqual([canMerge, into], [true, 'sea'])
  assert.deepEqual(await countsOf(ann), ['ocean 1', 'sea 1'])
})

test('merging leaves one tag an item, and undo skips items changed since', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const drafts = [{ tags: ['beaches', 'sun', 'beach'] }, { tags: ['strand', 'sun'] }, { tags: ['beaches', 'strand'] }]
  const [both, one, changed] = (await seedLibrary(services, ann.id, drafts)) as [number, number, number]
  const before = [await originsOf(ann, both), await originsOf(ann, one)]
  const { changeId, message } = (
    await ann.post('/api/tags/merge', { from: ['beaches', 'strand', 'unknown'], into: 'beach' })
  ).json()
  assert.equal(message, 'Merged into "beach" on 3 items.')
  assert.deepEqual(
    [await tagsOf(ann, both), await tagsOf(ann, one), await tagsOf(ann, changed)],
    [['sun', 'beach'], ['beach', 'sun'], ['beach']],
  )
  await ann.patch(`/api/media/${changed}`, { aiTags: ['harbor'] })
  assert.equal((await undo(ann, changeId)).message, '2 items restored. 1 item was changed since and skipped.')
  assert.deepEqual([await originsOf(ann, both), await originsOf(ann, one)], before)
  assert.deepEqual(await tagsOf(ann, changed), ['harbor'])
})

test('a deleted tag leaves all items, those in the trash too, and comes back with undo', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const [kept, trashed] = (await seedLibrary(services, ann.id, [
    { tags: ['sea', 'sun'] },
    { tags: ['sea'] },
  ])) as number[]
  await ann.post('/api/media/bulk-trash', { mediaIds: [trashed] })
  const { message, changeId } = (await ann.delete(at('sea'))).json()
  assert.equal(message, '"sea" removed from 2 items.')
  assert.deepEqual([await tagsOf(ann, kept!), await tagsOf(ann, trashed!)], [['sun'], []])
  await undo(ann, changeId)
  assert.deepEqual([await tagsOf(ann, kept!), await tagsOf(ann, trashed!)], [['sea', 'sun'], ['sea']])
  assert.equal((await ann.delete(at('nothing'))).statusCode, 404)
})

test('a color goes with a renamed tag and back with undo', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  await seedLibrary(services, ann.id, [{ tags: ['hund'] }])
  assert.equal((await ann.patch(at('hund'), { color: 'plaid' })).statusCode, 400)
  assert.equal((await ann.patch(at('hund'), { color: 'teal' })).statusCode, 200)
  const { changeId } = (await ann.patch(at('hund'), { name: 'dog' })).json()
  assert.deepEqual((await ann.get('/api/tags')).json(), [{ tag: 'dog', count: 1, color: 'teal', isNever: false }])
  await undo(ann, changeId)
  assert.deepEqual((await ann.get('/api/tags')).json(), [{ tag: 'hund', count: 1, color: 'teal', isNever: false }])
  await ann.patch(at('hund'), { color: null })
  assert.deepEqual((await ann.get('/api/tags')).json(), [{ tag: 'hund', count: 1, color: null, isNever: false }])
})

test('a tag on hundreds of items is renamed in batches as one change', async (context) => {
  const { register, services, settled } = await testApp(context)
  const ann = await register()
  const ids = await seedLibrary(
    services,
    ann.id,
    Array.from({ length: 250 }, () => ({ tags: ['hund', 'sun'] })),
  )
  await ann.post('/api/media/bulk-trash', { mediaIds: ids.slice(0, 120) })
  const { changed, changeId, isRunning } = (await ann.patch(at('hund'), { name: 'dog' })).json()
  assert.deepEqual([changed, isRunning], [250, false])
  await settled()
  assert.deepEqual(await countsOf(ann), ['dog 130', 'sun 130'])
  const { changes, underWay } = (await ann.get('/api/history')).json()
  assert.deepEqual([changes.length, changes[0].itemCount, underWay], [1, 250, []])
  assert.equal((await undo(ann, changeId)).undone, 250)
  assert.deepEqual(await countsOf(ann), ['hund 130', 'sun 130'])
})

test('while a change of tags is running, another one and its undo are refused', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  await seedLibrary(services, ann.id, [{ tags: ['sea', 'sun'] }])
  const { changeId } = (await ann.delete(at('sun'))).json()
  const runs = services.db.updateTable('runs').where('kind', '=', 'edit-tags')
  await runs.set({ status: 'running' }).execute()
  for (const answer of [await ann.delete(at('sea')), await ann.post(`/api/history/${changeId}/undo`)]) {
    assert.equal(answer.statusCode, 409)
    assert.match(answer.json().message, /^A change of your tags is still running\./)
  }
  await runs.set({ status: 'ended' }).execute()
  assert.equal((await undo(ann, changeId)).undone, 1)
})

test('another user’s tags and items are neither found nor changed', async (context) => {
  const { register, services } = await testApp(context)
  const [ann, bob] = [await register(), await register()]
  const [own] = (await seedLibrary(services, ann.id, [{ tags: ['sea'] }])) as [number]
  const [theirs] = (await seedLibrary(services, bob.id, [{ tags: ['sea', 'secret'] }])) as [number]
  const { changeId } = (await ann.patch(at('sea'), { name: 'ocean' })).json()
  for (const answer of [
    await ann.patch(at('secret'), { name: 'known' }),
    await ann.patch(at('secret'), { color: 'red' }),
    await ann.delete(at('secret')),
    await ann.post('/api/tags/merge', { from: ['secret'], into: 'known' }),
    await ann.post('/api/media/tag-counts', { mediaIds: [theirs] }),
    await ann.post('/api/media/bulk-remove-tags', { mediaIds: [theirs], tags: ['sea'] }),
    await bob.post(`/api/history/${changeId}/undo`),
  ])
    assert.equal(answer.statusCode, 404, answer.body)
  const counted = await ann.post('/api/media/tag-counts', { mediaIds: [own, theirs] })
  assert.deepEqual(counted.json(), [{ tag: 'ocean', count: 1 }])
  assert.deepEqual(await tagsOf(bob, theirs), ['sea', 'secret'])
})

test('tags are removed from chosen items only, and undo restores them where they were', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const drafts = [{ tags: ['sea', 'sun', 'sand'] }, { tags: ['sun'] }, { tags: ['sun', 'sea'] }]
  const [one, two, other] = (await seedLibrary(services, ann.id, drafts)) as [number, number, number]
  const counted = await ann.post('/api/media/tag-counts', { mediaIds: [one, two] })
  assert.deepEqual(counted.json(), [
    { tag: 'sun', count: 2 },
    { tag: 'sand', count: 1 },
    { tag: 'sea', count: 1 },
  ])
  const answer = (
    await ann.post('/api/media/bulk-remove-tags', { mediaIds: [one, two], tags: ['Sun', 'sea', 'none'] })
  ).json()
  assert.deepEqual(answer.summary, { successful: 2, failed: 0, removedTags: 3 })
  assert.deepEqual(
    [await tagsOf(ann, one), await tagsOf(ann, two), await tagsOf(ann, other)],
    [['sand'], [], ['sun', 'sea']],
  )
  await ann.patch(`/api/media/${two}`, { addTags: ['sun'] })
  assert.deepEqual(await undo(ann, answer.changeId), {
    undone: 1,
    kept: 1,
    message: '1 item restored. 1 item was changed since and skipped.',
  })
  assert.deepEqual(await tagsOf(ann, one), ['sea', 'sun', 'sand'])
})

test('the AI does not add a tag again that was merged, deleted or removed', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const { id } = await ann.addPicture()
  await ann.post(`/api/media/${id}/analyze`)
  assert.deepEqual(await tagsOf(ann, id), ['cat', 'animal'])
  await ann.post('/api/tags/merge', { from: ['cat'], into: 'pet' })
  const { changeId } = (await ann.delete(at('animal'))).json()
  assert.deepEqual((await ann.post(`/api/media/${id}/analyze`)).json().aiTags, ['pet'])
  await undo(ann, changeId)
  assert.deepEqual((await ann.post(`/api/media/${id}/analyze`)).json().aiTags, ['pet', 'animal'])
})

test('a tag that is never suggested again is left out by the AI, its reviews and its suggestions', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const [ann, bob] = [await product.register(), await product.register()]
  assert.equal((await ann.patch(at('cats'), { isNever: true })).json().message, '"cats" is never suggested again.')
  assert.deepEqual((await ann.get('/api/tags')).json(), [{ tag: 'cats', count: 0, color: null, isNever: true }])
  const { id } = await ann.addPicture()
  const { id: theirs } = await bob.addPicture()
  await ann.post('/api/media/bulk-ai-tag', { mediaIds: [id], runId: 'run', review: true })
  const [proposal] = (await ann.get('/api/ai-reviews/run')).json().items
  assert.deepEqual(
    proposal.tags.map(({ tag }: { tag: string }) => tag),
    ['animal'],
  )
  assert.deepEqual((await ann.post(`/api/media/${id}/analyze`)).json().aiTags, ['animal'], 'in any spelling')
  assert.deepEqual((await bob.post(`/api/media/${theirs}/analyze`)).json().aiTags, ['cat', 'animal'])
  await ann.patch(at('cats'), { isNever: false })
  assert.deepEqual((await ann.get('/api/tags')).json().length, 1)
  assert.deepEqual((await ann.post(`/api/media/${id}/analyze`)).json().aiTags, ['animal', 'cat'])
})

test('likely pairs are suggested, the more common tag first, until they are dismissed', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const drafts = [{ tags: ['boats', 'harbour', 'b-w', 'cat'] }, { tags: ['boats', 'boat', 'harbor', 'b w', 'car'] }]
  await seedLibrary(services, ann.id, drafts)
  const pairs = async () =>
    (await ann.get('/api/tags/suggestions')).json().pairs.map(({ tags, reason }: TagPair) => {
      return `${tags.map(({ tag }) => tag).join(' ')}: ${reason}`
    })
  assert.deepEqual((await pairs()).sort(), ['b w b-w: spelling', 'boats boat: plural', 'harbor harbour: spelling'])
  await ann.post('/api/tags/suggestions/dismiss', { tags: ['harbour', 'harbor'] })
  assert.deepEqual((await pairs()).sort(), ['b w b-w: spelling', 'boats boat: plural'])
})

test('changing a tag tells which smart collections search for it', async (context) => {
  const { register, services } = await testApp(context)
  const [ann, bob] = [await register(), await register()]
  for (const user of [ann, bob]) await seedLibrary(services, user.id, [{ tags: ['old town', 'sea'] }])
  await ann.post('/api/collections', { name: 'Streets', query: 'tag:"Old Town" -tag:draft' })
  await bob.post('/api/collections', { name: 'Theirs', query: 'tag:sea' })
  assert.deepEqual((await ann.get(at('old town'))).json().collections, ['Streets'])
  assert.deepEqual((await ann.get(at('sea'))).json().collections, [])
  assert.equal((await ann.get(at('unknown'))).statusCode, 404)
  const { message } = (await ann.patch(at('old town'), { name: 'center' })).json()
  assert.equal(message, 'Renamed to "center" on 1 item. The smart collection "Streets" now searches for "center".')
  const deleted = (await ann.delete(at('center'))).json().message
  assert.equal(deleted, '"center" removed from 1 item. The smart collection "Streets" still searches for "center".')
})

test('a long tag in any script can be renamed', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const tag = `${'海'.repeat(48)}/a`
  await seedLibrary(services, ann.id, [{ tags: [tag] }])
  const answer = await ann.patch(at(tag), { name: 'sea' })
  assert.equal(answer.statusCode, 200, answer.body)
  assert.deepEqual(await countsOf(ann), ['sea 1'])
})
