import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '#tests/support/test-app.ts'

test('a collection name is trimmed, and a blank one is refused', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const created = await ann.post('/api/collections', { name: '  Summer ', company: '' })
  assert.equal(created.statusCode, 201)
  assert.deepEqual([created.json().name, created.json().company, created.json().mediaCount], ['Summer', null, 0])
  assert.equal((await ann.post('/api/collections', { name: '  ' })).statusCode, 400)
  assert.equal((await ann.get('/api/collections')).json().length, 1)
})

test('adding an item to a collection a second time answers that it is a duplicate', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture()
  const { id } = (await ann.post('/api/collections', { name: 'Summer' })).json()
  assert.equal((await ann.post(`/api/collections/${id}/media/${media.id}`)).statusCode, 201)
  const again = await ann.post(`/api/collections/${id}/media/${media.id}`)
  assert.equal(again.statusCode, 409)
  assert.equal(again.json().isDuplicate, true)
  const listed = (await ann.get(`/api/media?collectionId=${id}`)).json()
  assert.equal(listed.pagination.totalCount, 1)
  assert.deepEqual(listed.media[0].collections, [{ id, name: 'Summer', isPublic: false }])
  assert.equal((await ann.get(`/api/media?search=jpg&collectionId=${id}`)).json().media.length, 1)
  await ann.post('/api/media/bulk-trash', { mediaIds: [media.id] })
  assert.equal((await ann.get('/api/collections?summary=true')).json()[0].mediaCount, 0)
  await ann.delete(`/api/media/${media.id}`)
  assert.equal((await ann.get('/api/collections?summary=true')).json()[0].mediaCount, 0)
  const storage = (await ann.get('/api/user/storage')).json()
  assert.deepEqual([storage.usedBytes, storage.totalFiles], [0, 0])
})

test('changing one field of a collection leaves the others unchanged', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture()
  const draft = { name: 'Summer', description: 'By the sea', company: 'Acme' }
  const { id, createdAt } = (await ann.post('/api/collections', draft)).json()
  await ann.post(`/api/collections/${id}/media/${media.id}`)

  const renamed = (await ann.patch(`/api/collections/${id}`, { name: ' Winter ', id: 7, ownerId: 7 })).json()
  assert.deepEqual(
    [renamed.id, renamed.name, renamed.description, renamed.company, renamed.createdAt],
    [id, 'Winter', 'By the sea', 'Acme', createdAt],
  )
  assert.equal((await ann.patch(`/api/collections/${id}`, { description: '' })).json().description, null)
  for (const wrong of [{ name: '   ' }, { name: 'x'.repeat(201) }, { description: 'x'.repeat(2001) }, { name: 7 }])
    assert.equal((await ann.patch(`/api/collections/${id}`, wrong)).statusCode, 400, JSON.stringify(wrong))

  const { customBranding } = (await ann.get(`/api/collections/${id}`)).json()
  assert.deepEqual(customBranding, {
    backgroundColor: '#ffffff',
    textColor: '#000000',
    accentColor: '#3b82f6',
    showOwnerInfo: true,
  })
  await ann.patch(`/api/collections/${id}/branding`, { title: 'Snow', showOwnerInfo: false })
  const branded = (await ann.patch(`/api/collections/${id}/branding`, { textColor: '#222222' })).json().customBranding
  assert.deepEqual([branded.title, branded.textColor, branded.showOwnerInfo], ['Snow', '#222222', false])
  await services.db.updateTable('collections').set({ branding: '{"title":7}' }).where('id', '=', id).execute()
  const [listed] = (await ann.get('/api/collections')).json()
  assert.deepEqual(listed.customBranding, customBranding, 'what a foreign database brought along is no look')
  for (const [stored, expected] of [
    [
      '{"title":"Snow","textColor":"no colour","showOwnerInfo":false}',
      { ...customBranding, title: 'Snow', showOwnerInfo: false },
    ],
    ['{"title":"Snow","showOwnerInfo":0}', { ...customBranding, title: 'Snow', showOwnerInfo: false }],
    ['7', { ...customBranding, showOwnerInfo: false }],
  ] as const) {
    await services.db.updateTable('collections').set({ branding: stored }).where('id', '=', id).execute()
    const [read] = (await ann.get('/api/collections')).json()
    assert.deepEqual(read.customBranding, expected, 'the rest stays, and the owner is not named by mistake')
  }

  const open = (await ann.patch(`/api/collections/${id}/visibility`, { isPublic: true })).json()
  assert.equal(open.isPublic, true)
  assert.match(open.publicSlug, /^[a-z0-9-]{3,50}$/)
  assert.ok(open.publicUrl.endsWith(`/public/collections/${open.publicSlug}`))
  const closed = (await ann.patch(`/api/collections/${id}/visibility`, { isPublic: false })).json()
  assert.deepEqual([closed.isPublic, closed.publicUrl, closed.publicSlug], [false, null, open.publicSlug])
  const again = (await ann.patch(`/api/collections/${id}/visibility`, { isPublic: true })).json()
  assert.equal(again.publicSlug, open.publicSlug, 'the address is kept')
  assert.equal((await ann.patch(`/api/collections/${id}/visibility`, { isPublic: 'yes' })).statusCode, 400)
  const [summary] = (await ann.get('/api/collections?summary=true')).json()
  assert.deepEqual(summary, {
    id,
    name: 'Winter',
    query: null,
    isPublic: true,
    mediaCount: 1,
    websiteId: open.websiteId,
  })
})

test('a whole collection sent back is accepted, for a change and for a duplicate', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture()
  const { id } = (await ann.post('/api/collections', { name: 'Summer' })).json()
  await ann.post(`/api/collections/${id}/media/${media.id}`)
  await ann.patch(`/api/collections/${id}`, { coverMediaId: media.id, company: 'Acme' })
  await ann.delete(`/api/collections/${id}/media/${media.id}`)

  const whole = (await ann.get(`/api/collections/${id}`)).json()
  assert.equal(whole.description, null)
  const renamed = await ann.patch(`/api/collections/${id}`, { ...whole, name: 'Winter', company: null })
  assert.equal(renamed.statusCode, 200, renamed.body)
  assert.deepEqual([renamed.json().name, renamed.json().company], ['Winter', null])
  assert.equal((await ann.post('/api/collections', whole)).json().description, null)
  assert.equal((await ann.post(`/api/collections/${id}/duplicate`, whole)).json().collection.name, 'Summer')
})

test('deleting a collection keeps its media and frees its address', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const [one, two] = [await ann.addPicture('one.jpg'), await ann.addPicture('two.jpg')]
  const { id } = (await ann.post('/api/collections', { name: 'Summer' })).json()
  for (const media of [one, two]) await ann.post(`/api/collections/${id}/media/${media.id}`)
  await ann.patch(`/api/collections/${id}/url`, { publicSlug: 'summer' })
  assert.equal(one.id, id)
  await ann.post(`/api/media/${one.id}/public`)
  await ann.patch(`/api/media/${one.id}/public-url`, { publicUrlSlug: 'the-pier' })
  const other = (await ann.post('/api/collections', { name: 'Another' })).json()
  const taken = await ann.patch(`/api/collections/${other.id}/url`, { publicSlug: 'summer' })
  assert.deepEqual([taken.statusCode, taken.json().field], [409, 'publicSlug'])

  assert.equal((await ann.delete(`/api/collections/${id}/media/${one.id}`)).statusCode, 200)
  assert.equal((await ann.delete(`/api/collections/${id}/media/${one.id}`)).statusCode, 404, 'not there any more')
  assert.deepEqual((await ann.get(`/api/media/${one.id}`)).json().collections, [])
  assert.equal((await ann.get(`/api/collections/${id}`)).json().mediaCount, 1)

  const deleted = await ann.delete(`/api/collections/${id}`)
  assert.match(deleted.json().message, /Its items are still in your library/)
  assert.equal((await ann.get(`/api/collections/${id}`)).statusCode, 404)
  assert.equal((await ann.get(`/api/media?collectionId=${id}`)).statusCode, 404)
  assert.equal((await ann.get('/api/media')).json().pagination.totalCount, 2)
  assert.deepEqual((await ann.get(`/api/media/${two.id}`)).json().collections, [])
  assert.equal((await ann.patch(`/api/collections/${other.id}/url`, { publicSlug: 'summer' })).statusCode, 200)
  await ann.post(`/api/media/${two.id}/public`)
  const wanted = await ann.patch(`/api/media/${two.id}/public-url`, { publicUrlSlug: 'the-pier' })
  assert.equal(wanted.statusCode, 409, 'an item of the same number keeps its address')
})
