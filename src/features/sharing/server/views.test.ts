import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { holdTransaction } from '#tests/support/held-transaction.ts'
import type { TestApp } from '#tests/support/test-app.ts'
import { shareCollection, withSharedCollection } from './sharing.fixture.ts'
import { viewsWritten } from './views.ts'

type Shared = Awaited<ReturnType<typeof withSharedCollection>>

/** The public pages of a collection and of one of its images. */
async function pagesOf({ ann, slug, media }: Pick<Shared, 'ann' | 'slug' | 'media'>) {
  const { publicUrl } = (await ann.post(`/api/media/${media[0]!.id}/public`)).json()
  const picture = new URL(publicUrl).pathname
  return [
    `/public/collections/${slug}`,
    `/api/public/collections/${slug}`,
    picture,
    picture.replace('/public/', '/api/public/media/'),
  ]
}

const changeAll = ({ services: { db } }: TestApp) =>
  holdTransaction(db, async (transaction) => {
    await transaction.updateTable('collections').set({ description: 'x' }).execute()
    await transaction.updateTable('media').set({ user_description: 'x' }).execute()
  })

const totalOf = async ({ ann, id }: Pick<Shared, 'ann' | 'id'>) =>
  (await ann.get(`/api/collections/${id}/statistics`)).json().total

test('a page is served when its view cannot be counted, and the next view is counted', async (context) => {
  const shared = await withSharedCollection(context, { count: 1 })
  const { product, visitor, ann } = shared
  const { db } = product.services
  const pages = await pagesOf(shared)
  // Writes to the table fail, as on a full disk.
  await db.schema.alterTable('share_visitors').renameTo('elsewhere').execute()
  for (const page of pages) assert.equal((await visitor.get(page)).statusCode, 200, page)
  await viewsWritten(db)
  await db.schema.alterTable('elsewhere').renameTo('share_visitors').execute()
  assert.equal(await totalOf(shared), 0)
  for (const page of pages) await visitor.get(page)
  await viewsWritten(db)
  assert.equal(await totalOf(shared), 1)
  assert.equal((await ann.get(`/api/media/${shared.media[0]!.id}`)).json().viewCount, 1)
})

test('pages are served during a long change of the library, and all views are counted after it', async (context) => {
  const shared = await withSharedCollection(context, { count: 1 })
  const { product, visitor } = shared
  const { db } = product.services
  const pages = await pagesOf(shared)
  const change = await changeAll(product)
  for (const page of pages) {
    for (const agent of ['Firefox', 'Safari'])
      assert.equal((await visitor.get(page, { 'user-agent': agent })).statusCode, 200, page)
  }
  await change.end()
  await viewsWritten(db)
  assert.equal(await totalOf(shared), 2)
})

test('a visitor with changing user agents is counted a few times an hour, different browsers separately', async (context) => {
  const shared = await withSharedCollection(context, { count: 0 })
  const { product, visitor, slug } = shared
  const visitAs = async (agents: string[]) => {
    for (const agent of agents) await visitor.get(`/public/collections/${slug}`, { 'user-agent': agent })
    await viewsWritten(product.services.db)
    return totalOf(shared)
  }
  const house = [
    'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  ]
  assert.equal(await visitAs(house), 3)
  assert.equal(await visitAs(Array.from({ length: 200 }, (_, index) => `Browser ${index}`)), 16)
})

test('views are written before the server stops', async (context) => {
  const shared = await withSharedCollection(context, { count: 0 })
  const { product, visitor, slug } = shared
  const change = await changeAll(product)
  await visitor.get(`/public/collections/${slug}`)
  const order: string[] = []
  const written = viewsWritten(product.services.db).then(() => order.push('written'))
  const closed = product.app.close().then(() => order.push('closed'))
  // The pending close can only be observed by waiting.
  await Promise.race([closed, delay(200)])
  await change.end()
  await Promise.all([written, closed])
  assert.deepEqual(order, ['written', 'closed'])
  await product.restart()
  assert.equal(await totalOf(shared), 1)
})

test('a view of a deleted item is dropped, and the other views of its batch count', async (context) => {
  const shared = await withSharedCollection(context, { count: 0 })
  const { product, visitor, ann, slug } = shared
  const { db } = product.services
  const other = await shareCollection(ann, { count: 0, name: 'Winter' })
  await db.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('collections').where('id', '=', other.id).execute()
    for (const name of [slug, other.slug])
      assert.equal((await visitor.get(`/public/collections/${name}`)).statusCode, 200)
  })
  await viewsWritten(db)
  assert.equal(await totalOf(shared), 1)
  const days = await db.selectFrom('share_views').select('target_id').execute()
  assert.deepEqual(days, [{ target_id: shared.id }])
})

test('deleting a collection, an item or an account deletes its views', async (context) => {
  const shared = await withSharedCollection(context, { count: 2 })
  const { product, ann, visitor, media } = shared
  const { db } = product.services
  const bob = await product.register()
  const ofBob = await shareCollection(bob, { count: 1 })
  const pages = [...(await pagesOf(shared)), ...(await pagesOf({ ann: bob, ...ofBob }))]
  for (const page of pages) await visitor.get(page)
  await viewsWritten(db)
  const seen = () => db.selectFrom('share_views').select(['kind', 'target_id']).orderBy('kind').execute()
  assert.equal((await seen()).length, 4)
  assert.equal((await ann.delete(`/api/admin/users/${bob.id}`)).statusCode, 200)
  const [collection, picture] = [
    { kind: 'collection', target_id: shared.id },
    { kind: 'media', target_id: media[0]!.id },
  ]
  assert.deepEqual(await seen(), [collection, picture])
  await ann.post('/api/media/bulk-trash', { mediaIds: [media[0]!.id] })
  assert.deepEqual(await seen(), [collection, picture], 'what can be restored keeps them')
  await ann.delete('/api/trash')
  assert.deepEqual(await seen(), [collection])
  await ann.delete(`/api/collections/${shared.id}`)
  assert.deepEqual(await seen(), [])
})
