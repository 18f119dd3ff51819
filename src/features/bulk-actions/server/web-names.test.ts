import assert from 'node:assert/strict'
import { test } from 'node:test'
import { takeSlug } from '#features/media/server/slugs.ts'
import { untilBlocked } from '#tests/support/held-transaction.ts'
import { isOnPostgres, onOneDatabase } from '#tests/support/postgres.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { addPictures } from './bulk.fixture.ts'

const rename = async (user: TestUser, body: object) => (await user.post('/api/media/bulk-rename', body)).json()
const names = (answer: { names: { to: string }[] }) => answer.names.map(({ to }) => to)
const nameOf = async (user: TestUser, id: number) => (await user.get(`/api/media/${id}`)).json().filename

async function addNamed(user: TestUser) {
  const mediaIds = await addPictures(user, ['IMG_1.JPG', 'IMG_2.JPG', 'rote-Schuhe.jpg'])
  for (const id of mediaIds.slice(0, 2)) await user.patch(`/api/media/${id}`, { userDescription: 'Weiße Möwe am Meer' })
  return mediaIds
}

test('a pattern names items by what they show, and a preview changes nothing', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const mediaIds = await addNamed(ann)
  const preview = await rename(ann, { mediaIds, pattern: 'Müller {subject}', preview: true })
  assert.deepEqual(names(preview), [
    'mueller-weisse-moewe-am-meer.jpg',
    'mueller-weisse-moewe-am-meer-2.jpg',
    'mueller-rote-schuhe.jpg',
  ])
  assert.equal(await nameOf(ann, mediaIds[0]!), 'IMG_1.JPG')
  const given = await rename(ann, {
    mediaIds,
    names: preview.names.map(({ id, from, to }: never) => ({ id, from, to })),
  })
  assert.deepEqual(given.summary, { successful: 3, failed: 0 })
  assert.equal(await nameOf(ann, mediaIds[1]!), 'mueller-weisse-moewe-am-meer-2.jpg')
  await ann.post(`/api/history/${given.changeId}/undo`)
  assert.equal(await nameOf(ann, mediaIds[1]!), 'IMG_2.JPG')
})

test('an empty pattern is that of the website of the collection', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const mediaIds = await addNamed(ann)
  const { id: collectionId } = (await ann.post('/api/collections', { name: 'Küste', company: 'Acme GmbH' })).json()
  for (const id of mediaIds) await ann.post(`/api/collections/${collectionId}/media/${id}`)
  const byDefault = await rename(ann, { mediaIds, pattern: '', preview: true })
  assert.equal(byDefault.pattern, '{website}-{subject}')
  assert.equal(names(byDefault)[2], 'acme-gmbh-rote-schuhe.jpg')
  const [{ id }] = (await ann.get('/api/websites')).json()
  await ann.patch(`/api/websites/${id}`, { name: 'Acme', namePattern: '{collection}_{n}_{website}' })
  assert.equal(names(await rename(ann, { mediaIds, pattern: '', preview: true }))[2], 'kueste-3-acme.jpg')
})

test('addresses follow the names only when asked, earlier ones redirect, and undo restores them', async (context) => {
  const { register, visitor } = await testApp(context)
  const ann = await register()
  const mediaIds = await addNamed(ann)
  const [first, second] = mediaIds as [number, number]
  for (const id of [first, second]) await ann.post(`/api/media/${id}/public`)
  const slugOf = async (id: number) => (await ann.get(`/api/media/${id}`)).json().publicUrlSlug
  const earlier = await slugOf(first)
  await rename(ann, { mediaIds: [first], pattern: 'gull' })
  assert.equal(await slugOf(first), earlier, 'a name changes no address')
  const { changeId } = await rename(ann, { mediaIds: [first, second], pattern: 'white gull', renameAddresses: true })
  assert.deepEqual([await slugOf(first), await slugOf(second)], ['white-gull', 'white-gull-2'])
  const redirect = await visitor().get(`/public/${earlier}`)
  assert.deepEqual([redirect.statusCode, redirect.headers.location], [301, '/public/white-gull'])
  await ann.post(`/api/history/${changeId}/undo`)
  assert.equal(await slugOf(first), earlier)
  assert.equal(await nameOf(ann, first), 'gull.jpg')
})

test('undo of a renaming returns the names, but no address that was ended since', async (context) => {
  const { register } = await testApp(context)
  const [ann, bob] = [await register(), await register()]
  const [ended, other] = await addPictures(ann, ['a.jpg', 'b.jpg'])
  const publish = async (user: TestUser, id: number, publicUrlSlug: string) => {
    await user.post(`/api/media/${id}/public`)
    await user.patch(`/api/media/${id}/public-url`, { publicUrlSlug })
  }
  await publish(ann, ended!, 'draft')
  await publish(ann, other!, 'second')
  const given = await rename(ann, { mediaIds: [ended, other], pattern: 'white gull', renameAddresses: true })
  const slugOf = async (id: number) => (await ann.get(`/api/media/${id}`)).json().publicUrlSlug
  await ann.patch(`/api/media/${ended}/public-url`, { publicUrlSlug: await slugOf(ended!), endsEarlierUrls: true })
  const [bobs] = await addPictures(bob, ['c.jpg'])
  await publish(bob, bobs!, 'draft')
  const undone = await ann.post(`/api/history/${given.changeId}/undo`)
  assert.equal(undone.statusCode, 200, undone.body)
  assert.deepEqual([await nameOf(ann, ended!), await nameOf(ann, other!)], ['a.jpg', 'b.jpg'])
  assert.deepEqual([await slugOf(ended!), await slugOf(other!)], ['white-gull', 'second'])
})

onOneDatabase('an address that another user has is not taken', async (context) => {
  const { register } = await testApp(context)
  const [ann, bob] = [await register(), await register()]
  const [own] = await addPictures(ann, ['a.jpg'])
  const [other] = await addPictures(bob, ['b.jpg'])
  for (const [user, id] of [
    [ann, own],
    [bob, other],
  ] as const)
    await user.post(`/api/media/${id}/public`)
  await ann.patch(`/api/media/${own}/public-url`, { publicUrlSlug: 'gull' })
  await rename(bob, { mediaIds: [other], pattern: 'gull', renameAddresses: true })
  assert.equal((await bob.get(`/api/media/${other}`)).json().publicUrlSlug, 'gull-2')
})

test("another user's items and collections give no names", async (context) => {
  const { register } = await testApp(context)
  const [ann, bob] = [await register(), await register()]
  const [id] = await addPictures(ann, ['a.jpg'])
  const [own] = await addPictures(bob, ['b.jpg'])
  const { id: collectionId } = (await ann.post('/api/collections', { name: 'Ann' })).json()
  const ask = async (body: object) => (await bob.post('/api/media/bulk-rename', body)).statusCode
  assert.equal(await ask({ mediaIds: [id], pattern: 'x', preview: true }), 404)
  assert.equal(await ask({ mediaIds: [own], pattern: 'x', preview: true, collectionId }), 404)
  assert.equal(await ask({ mediaIds: [id], names: [{ id, to: 'stolen.jpg' }] }), 404)
  assert.equal(await nameOf(ann, id!), 'a.jpg')
})

onOneDatabase('a wrong pattern is refused with a sentence', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const mediaIds = await addPictures(ann, ['a.jpg'])
  const answer = await ann.post('/api/media/bulk-rename', { mediaIds, pattern: '{sujet}' })
  assert.equal(answer.statusCode, 400)
  assert.match(answer.json().message, /The pattern cannot contain \{sujet\}\. Use \{website\}, \{subject\}/)
})

if (isOnPostgres) {
  test('two renamings that want the same addresses wait for each other, and none of them fails', async (context) => {
    const { register, services } = await testApp(context)
    const { db } = services
    const ann = await register()
    const [one, two] = (await addPictures(ann, ['1.jpg', '2.jpg'])) as [number, number]
    for (const id of [one, two]) await ann.post(`/api/media/${id}/public`)
    const names = [
      { id: one, to: 'tern.jpg' },
      { id: two, to: 'gull.jpg' },
    ]
    let renaming: ReturnType<TestUser['post']> | undefined
    await db.transaction().execute(async (transaction) => {
      await takeSlug(transaction, 'media', 'gull', 0)
      renaming = ann.post('/api/media/bulk-rename', { mediaIds: [one, two], names, renameAddresses: true })
      await untilBlocked(db, 1)
      await takeSlug(transaction, 'media', 'tern', 0)
    })
    const answer = await renaming!
    assert.equal(answer.statusCode, 200, answer.body)
    const slugOf = async (id: number) => (await ann.get(`/api/media/${id}`)).json().publicUrlSlug
    assert.deepEqual([await slugOf(one), await slugOf(two)], ['tern-2', 'gull-2'])
  })
}
