import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '#tests/support/test-app.ts'

test('the five data sets are what the specification shows', async (context) => {
  const product = await testApp(context)
  const admin = await product.register()
  const person = await product.register()
  const picture = await person.addPicture('beach.jpg')
  await person.patch(`/api/media/${picture.id}`, { userDescription: 'The sea' })
  const { id } = (await person.post('/api/collections', { name: 'Summer' })).json()
  await person.post(`/api/collections/${id}/media/${picture.id}`)
  await person.patch(`/api/collections/${id}/visibility`, { isPublic: true })

  const stats = (await admin.get('/api/database/stats')).json()
  assert.deepEqual(stats, {
    mediaCount: 1,
    totalSize: picture.size,
    userCount: 2,
    adminCount: 1,
    collectionCount: 1,
    publicCollectionCount: 1,
    fileTypes: [{ type: 'image/jpeg', count: 1 }],
  })
  const [media] = (await admin.get('/api/database/media')).json()
  assert.equal(media.filename, 'beach.jpg')
  assert.equal(media.mime_type, 'image/jpeg')
  assert.deepEqual([media.width, media.height, media.user_description], [64, 48, 'The sea'])
  const users = (await admin.get('/api/database/users')).json()
  assert.deepEqual(
    users.map((row: { is_admin: boolean }) => row.is_admin),
    [true, false],
  )
  assert.ok(!JSON.stringify(users).includes('argon2'))
  const [collection] = (await admin.get('/api/database/collections')).json()
  assert.equal(collection.user_id, person.id)
  assert.equal(collection.is_public, true)
  assert.ok(collection.public_slug)
  assert.deepEqual((await admin.get('/api/database/relationships')).json(), [
    { media_id: picture.id, media_filename: 'beach.jpg', collection_id: id, collection_name: 'Summer' },
  ])
})

test('rows are sorted, filtered and paged by the server', async (context) => {
  const product = await testApp(context)
  const admin = await product.register()
  for (const name of ['b.jpg', 'a_1.jpg', 'c.jpg', 'aX1.jpg', 'Ärger.jpg']) await admin.addPicture(name)
  const names = async (query: string) => {
    const answer = await admin.get(`/api/database/media?${query}`)
    assert.equal(answer.statusCode, 200, answer.body)
    return [answer.json().map(({ filename }: { filename: string }) => filename), answer.headers['x-total-count']]
  }
  assert.deepEqual(await names('sort=filename&order=desc&limit=2'), [['Ärger.jpg', 'c.jpg'], '5'])
  assert.deepEqual(await names('limit=2&offset=4'), [['Ärger.jpg'], '5'])
  for (const typed of ['Ärg', 'ärg', 'ÄRG'])
    assert.deepEqual(await names(`filter=${encodeURIComponent(typed)}`), [['Ärger.jpg'], '1'], typed)
  assert.deepEqual(await names('filter=A_1'), [['a_1.jpg'], '1'])
  assert.deepEqual(await names('filter=%25'), [[], '0'])
  assert.equal((await admin.get('/api/database/media?sort=password_hash')).statusCode, 400)
  assert.equal((await admin.get('/api/database/media?limit=5000')).statusCode, 400)
})
