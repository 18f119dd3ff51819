import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteMediaRows } from '#features/media/server/store.ts'
import { removeOldRuns } from '#platform/server/runs/runs-store.ts'
import { holdTransaction, untilBlocked } from '#tests/support/held-transaction.ts'
import { collectEvents } from '#tests/support/live-events.ts'
import { isOnPostgres, onOneDatabase } from '#tests/support/postgres.ts'
import { insertManyMedia } from '#tests/support/seed-library.ts'
import { testApp } from '#tests/support/test-app.ts'
import { until } from '#tests/support/until.ts'

const count = 40

async function withCollection(context: Parameters<typeof testApp>[0]) {
  const { register, services } = await testApp(context)
  const ann = await register()
  const ids = await insertManyMedia(services.db, ann.id, count)
  const { id } = (await ann.post('/api/collections', { name: 'All' })).json()
  for (const mediaId of ids) await ann.post(`/api/collections/${id}/media/${mediaId}`)
  return {
    db: services.db,
    events: services.events,
    ann,
    ids,
    collectionId: id as number,
    path: `/api/collections/${id}`,
  }
}

test('concurrent changes of the same items all succeed, in any order of the items', async (context) => {
  const { ann, ids, path, collectionId } = await withCollection(context)
  const [mediaIds, backwards] = [ids, ids.toReversed()]
  for (const round of ['one', 'two', 'three']) {
    const answers = await Promise.all([
      ann.post('/api/media/bulk-rename', { mediaIds, baseName: `${round}-up` }),
      ann.post('/api/media/bulk-rename', { mediaIds: backwards, baseName: `${round}-down` }),
      ann.post('/api/media/bulk-description', { mediaIds: backwards, description: round }),
      ann.post(`${path}/ai-rename`, { company: round }),
      ann.patch(path, { name: round }),
      ann.patch(path, { name: `${round} again` }),
      ...backwards.slice(0, 5).map((mediaId) => ann.delete(`${path}/media/${mediaId}`)),
    ])
    for (const answer of answers) assert.equal(answer.statusCode, 200, answer.body)
    for (const mediaId of backwards.slice(0, 5)) await ann.post(`${path}/media/${mediaId}`)
    const { pagination } = (await ann.get(`/api/media?search=${round}&collectionId=${collectionId}`)).json()
    assert.equal(pagination.totalCount, count, 'a search in the collection finds every item by its new description')
  }
})

test('a tag that is added twice at the same moment is added once, and both requests succeed', async (context) => {
  const { ann, ids: mediaIds } = await withCollection(context)
  for (const tag of ['beach', 'harbour', 'pier']) {
    const add = () => ann.post('/api/media/bulk-add-tags', { mediaIds, tags: [tag] })
    const answers = await Promise.all([add(), add(), add()])
    for (const { statusCode, body } of answers) assert.equal(statusCode, 200, body)
    const added = answers.map((answer) => answer.json().summary.addedTags)
    assert.equal(
      added.reduce((sum, each) => sum + each, 0),
      count,
    )
    const changeId = answers.map((answer) => answer.json().changeId).find(Boolean)
    const [undone, renamed] = await Promise.all([
      ann.post(`/api/history/${changeId}/undo`),
      ann.post('/api/media/bulk-rename', { mediaIds: mediaIds.toReversed(), baseName: tag }),
    ])
    assert.deepEqual([undone.statusCode, renamed.statusCode], [200, 200])
  }
})

test('of two concurrent undo requests one restores the items, and the other is told that the change was already undone', async (context) => {
  const { ann, ids: mediaIds } = await withCollection(context)
  for (const baseName of ['beach', 'harbour', 'pier', 'quay', 'sea']) {
    const { changeId } = (await ann.post('/api/media/bulk-rename', { mediaIds, baseName })).json()
    const undo = () => ann.post(`/api/history/${changeId}/undo`)
    const answers = await Promise.all([undo(), undo(), undo(), undo()])
    const [winner, ...others] = answers.toSorted((one, other) => one.statusCode - other.statusCode)
    assert.deepEqual(winner!.json(), { message: `${count} items restored.`, undone: count, kept: 0 })
    assert.deepEqual(
      others.map(({ statusCode }) => statusCode),
      [409, 409, 409],
    )
  }
})

test('a move that is recorded while one of its items is deleted records the other items', async (context) => {
  const { db, ann, ids, collectionId } = await withCollection(context)
  const deletion = await holdTransaction(db, (transaction) => deleteMediaRows(transaction, ids.slice(0, 1)))
  const remembered = ann.post('/api/history/moves', { collectionId, mediaIds: ids })
  await untilBlocked(db, 1)
  await deletion.end()
  const { statusCode, body } = await remembered
  assert.equal(statusCode, 201, body)
  assert.equal(JSON.parse(body).itemCount, count - 1)
})

test('recording a move notifies the open pages of its owner', async (context) => {
  const { events, ann, ids, collectionId } = await withCollection(context)
  const heard = await collectEvents(events, ann.id)
  await ann.post('/api/history/moves', { collectionId, mediaIds: ids })
  await until('the event', () => heard.length > 0)
  assert.deepEqual(heard, [{ type: 'collections' }])
  assert.equal((await ann.get('/api/history')).json().changes.length, 1)
})

test('a bulk move that names an item twice records it once', async (context) => {
  const { ann, ids, collectionId } = await withCollection(context)
  const deleted = Array.from({ length: 600 }, (_, index) => 900_000_000 + index)
  const move = { collectionId, mediaIds: [ids[0], ...deleted, ids[0]] }
  const { statusCode, body } = await ann.post('/api/history/moves', move)
  assert.equal(statusCode, 201, body)
  assert.equal(JSON.parse(body).itemCount, 1)
})

onOneDatabase('a bulk change that is undone while in progress can be undone again for the rest', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const { db, events } = product.services
  const mediaIds = await insertManyMedia(db, ann.id, 250)
  const { publish } = events
  context.mock.method(events, 'publish', async (...[userId, event]: Parameters<typeof publish>) => {
    if (event.type === 'run' && event.done === 200) {
      const { changes } = (await ann.get('/api/history')).json()
      assert.equal((await ann.post(`/api/history/${changes[0].id}/undo`)).json().undone, 200)
    }
    return publish(userId, event)
  })
  const body = { mediaIds, description: 'A harbour', runId: 'run' }
  const { changeId } = (await ann.post('/api/media/bulk-description', body)).json()
  assert.equal((await ann.get('/api/media?search=harbour')).json().pagination.totalCount, 50)
  const rest = await ann.post(`/api/history/${changeId}/undo`)
  assert.equal(rest.statusCode, 200, rest.body)
  assert.equal((await ann.get('/api/media?search=harbour')).json().pagination.totalCount, 0)
})

if (isOnPostgres) {
  test('old history is removed while its items are being deleted, and neither fails', async (context) => {
    const { db, ann, ids } = await withCollection(context)
    const [first, second] = ids
    // The older change refers to the item that is deleted last, so locking in order of age would deadlock with the deletion.
    for (const id of [second, first])
      await ann.post('/api/media/bulk-description', { mediaIds: [id], description: 'A harbour' })
    await db.updateTable('runs').set({ updated_at: 1 }).execute()
    let tidied: Promise<void> | undefined
    await db.transaction().execute(async (transaction) => {
      await deleteMediaRows(transaction, [first!])
      tidied = removeOldRuns(db, { kinds: ['description'], updatedBefore: 2 })
      await Promise.race([tidied, untilBlocked(db, 1)])
      await deleteMediaRows(transaction, [second!])
    })
    await tidied
    // Rows that were locked by the deletion are left to the next cleanup.
    await removeOldRuns(db, { kinds: ['description'], updatedBefore: 2 })
    assert.deepEqual((await ann.get('/api/history')).json().changes, [])
  })
}
