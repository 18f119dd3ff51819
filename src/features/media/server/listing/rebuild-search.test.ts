import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { searchIndexOf } from './index-of-database.ts'
import { found, withItems } from './search.fixture.ts'
import { indexMedia, searchTexts } from './search-documents.ts'

test('after an upgrade the search index is written again in the background', async (context) => {
  const product = await withItems(
    context,
    Array.from({ length: 230 }, (_, index) => ({ filename: `beach ${index}.jpg`, tags: ['sea'] })),
  )
  const { db } = product.services
  await sql`DELETE FROM search_documents`.execute(db)
  await db.deleteFrom('settings').where('name', '=', 'search-index').execute()
  assert.deepEqual(await found(product.ann, 'tag:sea'), [])
  await product.restart()
  await product.settled()
  assert.equal((await found(product.ann, 'beach tag:sea', '&limit=200')).length, 200)
  assert.deepEqual(await found(product.ann, '"beach 0"'), ['beach 0.jpg'], 'the oldest as well')
})

test('an item of an earlier index is not found by a search that excludes something, until it is written again', async (context) => {
  const { ann, ids, services } = await withItems(context, [
    { filename: 'gull.jpg', tags: ['private'] },
    { filename: 'gull 2.jpg' },
  ])
  const { db } = services
  const texts = searchTexts({ name: ['gull.jpg'], text: [] })
  const documents = ids.map((mediaId) => ({ ownerId: ann.id, isTrashed: false, mediaId, ...texts, marks: [] }))
  await searchIndexOf(db).replace(db, documents)
  for (const search of ['gull -tag:private', '-type:video', 'gull -is:inbox', '-in:Coast'])
    assert.deepEqual(await found(ann, search), [], search)
  assert.equal((await found(ann, 'gull')).length, 2)
  await db.transaction().execute((transaction) => indexMedia(transaction, ids))
  assert.deepEqual(await found(ann, 'gull -tag:private'), ['gull 2.jpg'])
})
