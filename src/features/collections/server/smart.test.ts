import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Media } from '#features/media/contract.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'

type Tagged = { tags?: string[]; name?: string }

async function addTagged(owner: TestUser, { tags = ['beach'], name = 'a.jpg' }: Tagged = {}): Promise<Media> {
  const media = await owner.addPicture(name)
  await owner.patch(`/api/media/${media.id}`, { aiTags: tags })
  return media
}

async function saveSearch(owner: TestUser, query: string, name = 'Best beaches') {
  const created = await owner.post('/api/collections', { name, query })
  assert.equal(created.statusCode, 201, created.body)
  return created.json() as { id: number; mediaCount: number; query: string }
}

async function share(owner: TestUser, id: number): Promise<string> {
  return (await owner.patch(`/api/collections/${id}/visibility`, { isPublic: true })).json().publicSlug
}

async function listNames(owner: TestUser, id: number, query = '') {
  const answer = await owner.get(`/api/media?collectionId=${id}${query}`)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().media.map(({ filename }: Media) => filename)
}

test('a smart collection contains what matches its search, newest first, as soon as it changes', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const first = await addTagged(ann, { name: 'first.jpg' })
  const { id, mediaCount, query } = await saveSearch(ann, 'tag:beach -tag:draft')
  assert.deepEqual([mediaCount, query], [1, 'tag:beach -tag:draft'])
  const second = await addTagged(ann, { name: 'second.jpg' })
  await addTagged(ann, { name: 'draft.jpg', tags: ['beach', 'draft'] })
  assert.deepEqual(await listNames(ann, id), ['second.jpg', 'first.jpg'])
  assert.deepEqual(await listNames(ann, id, '&sort=name'), ['first.jpg', 'second.jpg'])
  assert.deepEqual(await listNames(ann, id, '&search=second'), ['second.jpg'])
  assert.equal((await ann.get('/api/collections?summary=true')).json()[0].mediaCount, 2)
  assert.equal((await ann.get(`/api/media/count?collectionId=${id}`)).json().totalCount, 2)
  assert.deepEqual((await ann.post('/api/media/matching-ids', { collectionId: id })).json().ids, [second.id, first.id])
  const inOrder = (await ann.get(`/api/collections/${id}/media`)).json().media
  assert.deepEqual(
    inOrder.map((media: Media) => media.id),
    [second.id, first.id],
  )

  await ann.patch(`/api/media/${first.id}`, { aiTags: ['harbor'] })
  await ann.post('/api/media/bulk-trash', { mediaIds: [second.id] })
  assert.deepEqual(await listNames(ann, id), [])
  const [card] = (await ann.get('/api/collections')).json()
  assert.deepEqual([card.mediaCount, card.sampleMedia], [0, []])
})

test('visitors of a smart collection reach an item exactly while it matches', async (context) => {
  const { register, visitor: openVisitor } = await testApp(context)
  const ann = await register()
  const visitor = openVisitor()
  const one = await addTagged(ann, { name: 'one.jpg' })
  const two = await addTagged(ann, { name: 'two.jpg', tags: ['harbor'] })
  const { id } = await saveSearch(ann, 'tag:beach')
  const statusOf = async ({ originalUrl, thumbnailUrl }: Media) => {
    const answers = await Promise.all([visitor.get(originalUrl), visitor.get(thumbnailUrl)])
    return answers.map(({ statusCode }) => statusCode)
  }
  assert.deepEqual(await statusOf(one), [404, 404])
  const slug = await share(ann, id)
  assert.deepEqual(
    [await statusOf(one), await statusOf(two)],
    [
      [200, 200],
      [404, 404],
    ],
  )
  await ann.patch(`/api/media/${two.id}`, { aiTags: ['beach'] })
  assert.deepEqual(await statusOf(two), [200, 200])
  const { smartCollections, collections } = (await ann.get(`/api/media/${two.id}`)).json()
  assert.deepEqual([smartCollections, collections], [[{ id, name: 'Best beaches', isPublic: true }], []])
  assert.deepEqual((await visitor.get(`/api/public/collections/${slug}/urls`)).json().urls.length, 2)
  const { collection } = (await visitor.get(`/api/public/collections/${slug}`)).json()
  assert.equal(collection.mediaCount, 2)
  assert.match((await visitor.get(`/public/collections/${slug}`)).body, /two\.jpg/)

  await ann.patch(`/api/media/${one.id}`, { aiTags: [] })
  assert.deepEqual(await statusOf(one), [404, 404])
  await ann.post('/api/media/bulk-trash', { mediaIds: [two.id] })
  assert.deepEqual(await statusOf(two), [404, 404])
  for (const path of ['urls', 'images', 'data']) {
    const answer = await visitor.get(`/api/public/collections/${slug}/${path}`)
    assert.doesNotMatch(answer.body, /one\.jpg|two\.jpg/, path)
  }
  assert.match((await visitor.get(`/public/collections/${slug}`)).body, /No media in this collection/)
})

test('a smart collection is shared with pages, cover, sitemap, password and download like any other', async (context) => {
  const { register, visitor: openVisitor } = await testApp(context)
  const ann = await register()
  const visitor = openVisitor()
  const cover = await addTagged(ann, { name: 'cover.jpg' })
  for (let index = 0; index < 3; index++) await addTagged(ann, { name: `more-${index}.jpg` })
  const { id } = await saveSearch(ann, 'tag:beach')
  assert.equal((await ann.patch(`/api/collections/${id}`, { coverMediaId: cover.id })).statusCode, 200)
  const other = await addTagged(ann, { name: 'other.jpg', tags: ['harbor'] })
  assert.equal((await ann.patch(`/api/collections/${id}`, { coverMediaId: other.id })).statusCode, 404)
  const slug = await share(ann, id)
  const page = `/public/collections/${slug}`
  assert.equal((await ann.get(`/api/collections/${id}`)).json().sampleMedia[0].id, cover.id)
  assert.ok((await visitor.get(page)).body.includes(`/files/${cover.id}/`))
  assert.match((await visitor.get(`${page}/sitemap.xml`)).body, /more-0/)
  const zip = await visitor.get(`${page}/download`)
  assert.equal(zip.statusCode, 200)
  assert.ok(zip.rawPayload.includes('more-2.jpg') && zip.rawPayload.includes('cover.jpg'))
  await ann.patch(`/api/collections/${id}/sharing`, { allowsDownload: false })
  assert.equal((await visitor.get(cover.originalUrl)).statusCode, 403)
  await ann.patch(`/api/collections/${id}/sharing`, { password: 'open sesame' })
  assert.equal((await visitor.get(cover.thumbnailUrl)).statusCode, 404)
  await visitor.post(`/api/public/collections/${slug}/unlock`, { password: 'open sesame' })
  assert.equal((await visitor.get(cover.thumbnailUrl)).statusCode, 200)
})

test('another user’s items are never in a smart collection', async (context) => {
  const { register, visitor: openVisitor } = await testApp(context)
  const [ann, ben] = [await register(), await register()]
  const theirs = await addTagged(ben, { name: 'theirs.jpg' })
  const { id } = await saveSearch(ann, 'tag:beach')
  const everything = await saveSearch(ann, '-tag:none', 'Everything')
  for (const each of [id, everything.id]) {
    const slug = await share(ann, each)
    assert.deepEqual(await listNames(ann, each), [])
    assert.doesNotMatch((await openVisitor().get(`/api/public/collections/${slug}/data`)).body, /theirs/)
    assert.equal((await ben.get(`/api/media?collectionId=${each}`)).statusCode, 404)
    assert.equal((await ben.post(`/api/collections/${each}/freeze`)).statusCode, 404)
    assert.equal((await ben.patch(`/api/collections/${each}`, { query: 'tag:mine' })).statusCode, 404)
  }
  assert.equal((await openVisitor().get(theirs.thumbnailUrl)).statusCode, 404)
})

test('a search that is empty, wrong or names the collection itself is refused in words', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const refused = async (query: string) => {
    const answer = await ann.post('/api/collections', { name: 'Best beaches', query })
    assert.equal(answer.statusCode, 400, query)
    return answer.json().message
  }
  assert.match(await refused(''), /Please enter a search\./)
  assert.match(await refused('  '), /Please enter a search\./)
  assert.match(await refused('""'), /Please enter a search\./)
  assert.match(await refused('type:song'), /"type:" can be image or video\./)
  assert.match(await refused('in:"best beaches"'), /names "Best beaches" itself/)
  assert.deepEqual((await ann.get('/api/collections')).json(), [])
  const { id } = await saveSearch(ann, 'tag:beach')
  for (const query of ['', 'size:huge', 'in:"Best beaches"'])
    assert.equal((await ann.patch(`/api/collections/${id}`, { query })).statusCode, 400, query)
  const changed = await ann.patch(`/api/collections/${id}`, { query: ' tag:harbor ' })
  assert.deepEqual([changed.statusCode, changed.json().query], [200, 'tag:harbor'])
  assert.equal((await ann.patch(`/api/collections/${id}`, { name: 'Coast', query: 'tag:harbor' })).statusCode, 200)
  assert.equal((await ann.patch(`/api/collections/${id}`, { query: null })).statusCode, 409)
  const ordinary = (await ann.post('/api/collections', { name: 'Summer' })).json()
  assert.equal((await ann.patch(`/api/collections/${ordinary.id}`, { query: 'tag:beach' })).statusCode, 409)
  assert.equal((await ann.patch(`/api/collections/${ordinary.id}`, { query: null })).statusCode, 200)
})

test('items of a smart collection are not put in or taken out by hand', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const media = await addTagged(ann)
  const other = await addTagged(ann, { name: 'other.jpg', tags: [] })
  const { id } = await saveSearch(ann, 'tag:beach')
  const answers = {
    add: await ann.post(`/api/collections/${id}/media/${other.id}`),
    remove: await ann.delete(`/api/collections/${id}/media/${media.id}`),
    arrange: await ann.patch(`/api/collections/${id}/order`, { mediaIds: [media.id], beforeId: null }),
    takeOut: await ann.post('/api/media/bulk-remove-from-collection', { mediaIds: [media.id], collectionId: id }),
    record: await ann.post('/api/history/moves', { mediaIds: [media.id], collectionId: id }),
    upload: await ann.upload([{ name: 'new.jpg', bytes: await makeJpeg() }], { collectionId: String(id) }),
  }
  for (const [name, answer] of Object.entries(answers)) {
    assert.equal(answer.statusCode, 409, `${name}: ${answer.body}`)
    assert.match(answer.json().message, /"Best beaches" is a smart collection: its items are those that match/, name)
  }
  assert.deepEqual(await listNames(ann, id), ['a.jpg'])
  assert.equal((await ann.get('/api/media')).json().pagination.totalCount, 2)
})

test('freezing keeps what matches now as items of a normal collection with the same address', async (context) => {
  const { register, visitor: openVisitor } = await testApp(context)
  const ann = await register()
  const first = await addTagged(ann, { name: 'first.jpg' })
  const second = await addTagged(ann, { name: 'second.jpg' })
  const trashed = await addTagged(ann, { name: 'trashed.jpg' })
  await ann.post('/api/media/bulk-trash', { mediaIds: [trashed.id] })
  const { id } = await saveSearch(ann, 'tag:beach')
  const slug = await share(ann, id)
  const frozen = await ann.post(`/api/collections/${id}/freeze`)
  assert.equal(frozen.statusCode, 200, frozen.body)
  assert.deepEqual([frozen.json().query, frozen.json().mediaCount, frozen.json().publicSlug], [null, 2, slug])
  await ann.patch(`/api/media/${first.id}`, { aiTags: [] })
  await addTagged(ann, { name: 'later.jpg' })
  await ann.post('/api/media/bulk-restore', { mediaIds: [trashed.id] })
  assert.deepEqual(await listNames(ann, id, '&sort=manual'), ['second.jpg', 'first.jpg'])
  assert.deepEqual((await ann.get('/api/media?search=in:"Best beaches"&sort=name')).json().pagination.totalCount, 2)
  assert.equal((await openVisitor().get(first.thumbnailUrl)).statusCode, 200)
  assert.equal((await ann.delete(`/api/collections/${id}/media/${second.id}`)).statusCode, 200)
  assert.equal((await ann.post(`/api/collections/${id}/freeze`)).statusCode, 409)
})

test('a duplicate of a smart collection has its search and no copies', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  await addTagged(ann)
  const { id } = await saveSearch(ann, 'tag:beach')
  const answer = await ann.post(`/api/collections/${id}/duplicate`, { name: 'For Northwind' })
  const { collection, stats } = answer.json()
  assert.deepEqual([collection.query, collection.mediaCount, stats.copiedMedia], ['tag:beach', 1, 0])
  assert.equal((await ann.get('/api/media')).json().pagination.totalCount, 1)
})

test('a search can name a smart collection, also to leave its items out', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  await addTagged(ann, { name: 'beach.jpg' })
  await addTagged(ann, { name: 'city.jpg', tags: ['city'] })
  await addTagged(ann, { name: 'forest.jpg', tags: ['forest'] })
  await saveSearch(ann, 'tag:beach', 'Coast')
  await saveSearch(ann, 'in:Coast', 'Nested')
  const find = async (search: string) => {
    const { media } = (await ann.get(`/api/media?search=${encodeURIComponent(search)}&sort=name`)).json()
    return media.map(({ filename }: Media) => filename)
  }
  assert.deepEqual(await find('in:Coast'), ['beach.jpg'])
  assert.deepEqual(await find('in:Nested'), ['beach.jpg'])
  assert.deepEqual(await find('-in:Coast -tag:city'), ['forest.jpg'])
})

test('smart collections that name each other, or leave out one that is gone, contain nothing', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  await addTagged(ann)
  const one = await saveSearch(ann, 'tag:beach', 'One')
  const two = await saveSearch(ann, 'in:One', 'Two')
  assert.equal((await ann.patch(`/api/collections/${one.id}`, { query: 'in:Two' })).statusCode, 200)
  assert.deepEqual([await listNames(ann, one.id), await listNames(ann, two.id)], [[], []])
  const secret = (await ann.post('/api/collections', { name: 'Secret' })).json()
  const open = await saveSearch(ann, 'tag:beach -in:Secret', 'Open')
  assert.deepEqual(await listNames(ann, open.id), ['a.jpg'])
  await ann.delete(`/api/collections/${secret.id}`)
  assert.deepEqual(await listNames(ann, open.id), [])
})

test('a smart collection states the rights and has the presets of its website', async (context) => {
  const { register, visitor: openVisitor } = await testApp(context)
  const ann = await register()
  const media = await addTagged(ann)
  const website = {
    name: 'Northwind',
    languages: ['en'],
    licence: 'CC BY 4.0',
    statesRights: true,
    presets: [{ name: 'banner', width: 700 }],
  }
  assert.equal((await ann.post('/api/websites', website)).statusCode, 201)
  const named = await ann.post('/api/collections', { name: 'Sea', company: 'Northwind', query: 'tag:beach' })
  assert.equal(named.statusCode, 201)
  await share(ann, named.json().id)
  assert.ok((await openVisitor().get(media.originalUrl)).rawPayload.includes('CC BY 4.0'))
  await saveSearch(ann, 'website:northwind', 'All of Northwind')
  const [listed] = (await ann.get('/api/websites')).json()
  assert.deepEqual([listed.collectionCount, listed.mediaCount, listed.smartCollections], [1, 1, ['All of Northwind']])
  const { publicUrlSlug } = (await ann.post(`/api/media/${media.id}/public`)).json()
  const delivered = await ann.get(`/i/${publicUrlSlug}?p=banner`)
  assert.equal(delivered.statusCode, 200, delivered.body)
})

test('a tag says which smart collections name it, and they follow when it is renamed or merged', async (context) => {
  const { register, visitor: openVisitor, settled } = await testApp(context)
  const ann = await register()
  await addTagged(ann, { name: 'open.jpg', tags: ['seaside'] })
  const hidden = await addTagged(ann, { name: 'hidden.jpg', tags: ['seaside', 'private'] })
  await addTagged(ann, { name: 'other.jpg', tags: ['personal'] })
  const { id } = await saveSearch(ann, 'tag:seaside -tag:private')
  await share(ann, id)
  assert.deepEqual((await ann.get('/api/tags/private')).json().collections, ['Best beaches'])
  assert.equal((await ann.patch('/api/tags/seaside', { name: 'coast' })).statusCode, 200)
  const merged = await ann.post('/api/tags/merge', { from: ['private'], into: 'personal' })
  assert.equal(merged.statusCode, 200)
  await settled()
  assert.equal((await ann.get(`/api/collections/${id}`)).json().query, 'tag:coast -tag:private -tag:personal')
  assert.deepEqual(await listNames(ann, id), ['open.jpg'])
  assert.equal((await ann.post(`/api/history/${merged.json().changeId}/undo`)).statusCode, 200)
  assert.deepEqual(await listNames(ann, id), ['open.jpg'])
  assert.equal((await openVisitor().get(hidden.thumbnailUrl)).statusCode, 404)
})

test('a backup brings a smart collection back with its search', async (context) => {
  const { register, visitor: openVisitor, settled } = await testApp(context)
  const admin = await register()
  const media = await addTagged(admin)
  const { id } = await saveSearch(admin, 'tag:beach')
  const slug = await share(admin, id)
  const { backup } = (await admin.post('/api/admin/backups/create')).json()
  await admin.delete(`/api/collections/${id}`)
  await admin.delete(`/api/media/${media.id}`)
  assert.equal((await openVisitor().get(media.thumbnailUrl)).statusCode, 404)
  const restored = await admin.post(`/api/admin/backups/${backup.id}/restore`)
  assert.equal(restored.statusCode, 200, restored.body)
  await settled()
  assert.deepEqual(await listNames(admin, id), ['a.jpg'])
  assert.equal((await openVisitor().get(media.thumbnailUrl)).statusCode, 200)
  assert.equal((await openVisitor().get(`/public/collections/${slug}`)).statusCode, 200)
})
