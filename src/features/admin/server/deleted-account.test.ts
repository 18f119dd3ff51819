import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertMembership } from '#features/collections/server/store.ts'
import { insertMedia } from '#features/media/server/store.ts'
import { holdTransaction, untilBlocked } from '#tests/support/held-transaction.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { isOnPostgres } from '#tests/support/postgres.ts'
import { withLibrary } from './admin.fixture.ts'
import { deleteAccount } from './store.ts'

/** A request that reads the account first gets 401. */
const deletedMeanwhile = /^(409 .*was deleted in the meantime|401 )/
/** Without a way to see who waits, a request may run after its session or collection is gone. */
const deletedMeanwhileOrBefore = /^(409 .*was deleted in the meantime|401 |404 )/

test('requests during the deletion of their account are refused with a message', async (context) => {
  const { product, person, picture } = await withLibrary(context)
  const { db } = product.services
  const { id } = (await person.post('/api/collections', { name: 'Summer' })).json()
  await person.delete(`/api/media/${picture.id}`)
  const mediaIds = [picture.id]
  const deletion = await holdTransaction(db, (transaction) => deleteAccount(transaction, person.id))
  const answers = [
    person.post('/api/collections', { name: 'Winter' }),
    person.post(`/api/collections/${id}/duplicate`, { name: 'Winter' }),
    person.post('/api/media/bulk-convert-webp', { mediaIds }),
    person.post('/api/history/moves', { collectionId: id, mediaIds }),
  ]
  await untilBlocked(db, answers.length)
  await deletion.end()
  for (const { statusCode, body } of await Promise.all(answers)) {
    assert.match(`${statusCode} ${body}`, isOnPostgres ? deletedMeanwhile : deletedMeanwhileOrBefore)
  }
})

test('a file whose account is deleted meanwhile is not reported as too large', async (context) => {
  const { product, person, picture } = await withLibrary(context)
  const { db } = product.services
  await person.delete(`/api/media/${picture.id}`)
  const bytes = await makeJpeg()
  const deletion = await holdTransaction(db, (transaction) => deleteAccount(transaction, person.id))
  const answer = person.upload([{ name: 'late.jpg', bytes }])
  await untilBlocked(db, 1)
  await deletion.end()
  assert.equal((await answer).statusCode, 401, (await answer).body)
})

test('files uploaded during the deletion of their account are deleted with it', async (context) => {
  const { product, admin, person, picture } = await withLibrary(context)
  const { db } = product.services
  const { id } = (await person.post('/api/collections', { name: 'Summer' })).json()
  const known = db.selectFrom('media').selectAll().where('id', '=', picture.id)
  const { id: _id, ...row } = await known.executeTakeFirstOrThrow()
  await person.delete(`/api/media/${picture.id}`)
  const arrival = await holdTransaction(db, async (transaction) => {
    for (const filename of ['a.jpg', 'b.jpg'])
      await insertMembership(transaction, id, await insertMedia(transaction, { ...row, filename }))
  })
  const deleted = admin.delete(`/api/admin/users/${person.id}`)
  await untilBlocked(db, 1)
  await arrival.end()
  const { statusCode, body } = await deleted
  assert.equal(statusCode, 200, body)
  const left = await db.selectFrom('media').select('id').where('owner_id', '=', person.id).execute()
  assert.deepEqual(left, [])
})
