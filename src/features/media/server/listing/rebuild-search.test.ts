import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { found, withItems } from './search.fixture.ts'

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
