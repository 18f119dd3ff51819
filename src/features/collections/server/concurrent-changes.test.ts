import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdTransaction, untilBlocked } from '#tests/support/held-transaction.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { countBlocked, isOnPostgres } from '#tests/support/postgres.ts'
import { insertManyMedia } from '#tests/support/seed-library.ts'
import { testApp } from '#tests/support/test-app.ts'
import { deleteCollection, insertMembership, updateCollection } from './store.ts'

async function withCollection(context: Parameters<typeof testApp>[0]) {
  const product = await testApp(context)
  const ann = await product.register()
  const { id } = (await ann.post('/api/collections', { name: 'Summer' })).json()
  return { db: product.services.db, ann, id: id as number, path: `/api/collections/${id}` }
}

test('changing a collection that is being deleted answers 404', async (context) => {
  const { db, ann, id, path } = await withCollection(context)
  const picture = await ann.addPicture()
  const deletion = await holdTransaction(db, (transaction) => deleteCollection(transaction, id))
  const answers = [
    ann.post(`${path}/media/${picture.id}`),
    ann.patch(path, { name: 'Winter' }),
    ann.patch(`${path}/url`, { publicSlug: 'summer-days' }),
    ann.patch(`${path}/visibility`, { isPublic: true }),
    ann.patch(`${path}/branding`, { title: 'Summer' }),
    ann.patch(`${path}/sharing`, { allowsDownload: false }),
  ]
  await untilBlocked(db, answers.length)
  await deletion.end()
  for (const answer of await Promise.all(answers)) {
    assert.deepEqual([answer.statusCode, answer.json().message], [404, 'Collection not found'], answer.body)
  }
  assert.deepEqual(await db.selectFrom('slugs').selectAll().execute(), [], 'no address stays taken')
})

test('renaming a collection while an item is added to it twice causes no deadlock', async (context) => {
  const { db, ann, id, path } = await withCollection(context)
  const picture = await ann.addPicture()
  const adding = await holdTransaction(db, (transaction) =>
    insertMembership(transaction, id, { id: picture.id, created_at: Date.now() }),
  )
  const renamed = ann.patch(path, { name: 'Winter' })
  await untilBlocked(db, 1)
  const addedAgain = ann.post(`${path}/media/${picture.id}`)
  await untilBlocked(db, 2)
  await adding.end()
  assert.deepEqual([(await renamed).statusCode, (await addedAgain).statusCode], [200, 409])
})

test("switching a collection's visibility does not restore an address that was changed meanwhile", async (context) => {
  const { db, ann, id, path } = await withCollection(context)
  await ann.patch(`${path}/visibility`, { isPublic: true })
  const renaming = await holdTransaction(db, (transaction) =>
    transaction.updateTable('collections').set({ public_slug: 'new-address' }).where('id', '=', id).execute(),
  )
  const switched = ann.patch(`${path}/visibility`, { isPublic: false })
  await untilBlocked(db, 1)
  await renaming.end()
  assert.equal((await switched).json().publicSlug, 'new-address')
})

test('two concurrent branding changes of a collection are both kept', async (context) => {
  const { db, ann, id, path } = await withCollection(context)
  const held = await holdTransaction(db, (transaction) =>
    transaction.updateTable('collections').set({ company: 'Acme' }).where('id', '=', id).execute(),
  )
  const changes = [{ title: 'Beach days' }, { subtitle: 'Long ago' }, { accentColor: '#ff0000' }]
  const answers = changes.map((change) => ann.patch(`${path}/branding`, change))
  await untilBlocked(db, answers.length)
  await held.end()
  for (const { statusCode, body } of await Promise.all(answers)) assert.equal(statusCode, 200, body)
  const { title, subtitle, accentColor } = (await ann.get(path)).json().customBranding
  assert.deepEqual([title, subtitle, accentColor], ['Beach days', 'Long ago', '#ff0000'])
})

test('concurrent arrangements of the same items are applied one after another', async (context) => {
  const { db, ann, path } = await withCollection(context)
  const mediaIds = await insertManyMedia(db, ann.id, 12)
  for (const mediaId of mediaIds) await ann.post(`${path}/media/${mediaId}`)
  const orders = Array.from({ length: 8 }, (_, index) => (index % 2 ? mediaIds : mediaIds.toReversed()))
  const answers = await Promise.all(
    orders.map((order) => ann.patch(`${path}/order`, { mediaIds: order, beforeId: null })),
  )
  for (const { statusCode, body } of answers) assert.equal(statusCode, 200, body)
  const { media } = (await ann.get(`${path}/media`)).json()
  const order = media.map(({ id }: { id: number }) => id)
  assert.ok(
    orders.some((wished) => wished.join() === order.join()),
    String(order),
  )
})

// SQLite has a single writer and does not report who waits for it.
if (isOnPostgres) {
  test('describing a collection while it is renamed keeps the new name', async (context) => {
    const { db, ann, id, path } = await withCollection(context)
    const renaming = await holdTransaction(db, (transaction) => updateCollection(transaction, id, { name: 'Winter' }))
    const described = ann.patch(path, { name: 'Summer', description: 'By the sea' })
    while ((await countBlocked(db)) < 1);
    await renaming.end()
    const { name, description } = (await described).json()
    assert.deepEqual([name, description], ['Winter', 'By the sea'])
  })

  test('a deletion and an upload into the same collection are serialized without a deadlock', async (context) => {
    const { db, ann, id, path } = await withCollection(context)
    const mediaIds = await insertManyMedia(db, ann.id, 3)
    for (const mediaId of mediaIds) await ann.post(`${path}/media/${mediaId}`)
    await ann.post('/api/media/bulk-trash', { mediaIds: mediaIds.slice(0, 1) })
    const file = { name: 'boat.jpg', bytes: await makeJpeg() }
    const changes: [() => Promise<{ statusCode: number; body: string }>, uploaded: number][] = [
      [() => ann.delete('/api/trash'), 201],
      [() => ann.post('/api/media/bulk-delete', { mediaIds: mediaIds.slice(1, 2) }), 201],
      [() => ann.delete(path), 404],
    ]
    for (const [change, uploaded] of changes) {
      const held = await holdTransaction(db, (transaction) =>
        transaction.updateTable('collections').set({ view_count: 1 }).where('id', '=', id).execute(),
      )
      const changing = change()
      while ((await countBlocked(db)) < 1);
      const uploading = ann.upload([file], { collectionId: String(id) })
      while ((await countBlocked(db)) < 2);
      await held.end()
      const answers = [await changing, await uploading]
      assert.deepEqual(
        answers.map(({ statusCode }) => statusCode),
        [200, uploaded],
        answers.map(({ body }) => body).join('\n'),
      )
    }
  })

  test('renumbering a collection and removing an item from it are serialized without a deadlock', async (context) => {
    const { db, ann, id, path } = await withCollection(context)
    const [first, second, third, fourth] = (await insertManyMedia(db, ann.id, 4)) as [number, number, number, number]
    for (const mediaId of [first, second, third, fourth]) await ann.post(`${path}/media/${mediaId}`)
    const { id: changeId } = (await ann.post('/api/history/moves', { collectionId: id, mediaIds: [fourth] })).json()
    const changes = [() => ann.delete(`${path}/media/${third}`), () => ann.post(`/api/history/${changeId}/undo`)]
    for (const takeOut of changes) {
      // Equal positions leave no number between them, which forces a renumbering.
      await db.updateTable('collection_media').set({ position: 1 }).execute()
      const held = await holdTransaction(db, (transaction) =>
        transaction.updateTable('collections').set({ view_count: 1 }).where('id', '=', id).execute(),
      )
      const arranging = ann.patch(`${path}/order`, { mediaIds: [first], beforeId: third })
      while ((await countBlocked(db)) < 1);
      const takingOut = takeOut()
      while ((await countBlocked(db)) < 2);
      await held.end()
      const answers = [await arranging, await takingOut]
      assert.deepEqual(
        answers.map(({ statusCode }) => statusCode),
        [200, 200],
        answers.map(({ body }) => body).join('\n'),
      )
      await ann.post(`${path}/media/${third}`)
    }
  })
}
