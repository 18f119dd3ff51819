import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { shareCollection } from '#features/sharing/server/sharing.fixture.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'

// What is kept is sent again for as long as nothing was written (platform/server/http/kept-answers.test.ts); here, that nobody
// gets by it what they may not have any more.

const dayMs = 24 * 3600_000

/** Somebody who has just looked at everything that is kept: asking once more is answered from memory. */
async function whoHasLooked(context: TestContext) {
  const product = await testApp(context)
  const ann = await product.register()
  const { slug, media, id } = await shareCollection(ann, { count: 1 })
  await ann.patch(`/api/collections/${id}/visibility`, { isPublic: false })
  await product.settled()
  const [item] = media
  const calls = [
    '/api/user',
    '/api/user/storage',
    '/api/media',
    '/api/media?search=picture',
    `/api/media/${item!.id}`,
    '/api/collections',
    `/api/collections/${id}`,
    `/api/collections/${id}/media`,
  ]
  const addresses = [...calls, item!.thumbnailUrl]
  // The same browser, which goes on sending its cookie whatever it is told.
  const stubborn = product.visitor()
  stubborn.cookies.set('albumen_session', ann.cookies.get('albumen_session')!)
  await seesAll(stubborn, addresses)
  return { product, ann, stubborn, calls, addresses, item: item!, collectionId: id, slug }
}

/** Three times: the first answer to a question is not kept, and the third is the second one again. */
async function seesAll(browser: TestUser, addresses: string[]) {
  for (const address of [...addresses, ...addresses, ...addresses])
    assert.equal((await browser.get(address)).statusCode, 200, address)
}

async function getsNothing(browser: TestUser, calls: string[], thumbnail: string) {
  for (const call of calls) assert.equal((await browser.get(call)).statusCode, 401, call)
  assert.equal((await browser.get(thumbnail)).statusCode, 404)
}

onOneDatabase('who signs out gets nothing of what they had asked for', async (context) => {
  const { ann, stubborn, calls, item } = await whoHasLooked(context)
  await ann.post('/api/logout')
  await getsNothing(stubborn, calls, item.thumbnailUrl)
})

onOneDatabase('whose account is deleted gets nothing of what they had asked for', async (context) => {
  const { product, ann, stubborn, calls, item } = await whoHasLooked(context)
  await product.services.db.deleteFrom('users').where('id', '=', ann.id).execute()
  await getsNothing(stubborn, calls, item.thumbnailUrl)
})

onOneDatabase('a session that ends by the clock ends for what was asked before as well', async (context) => {
  const { product, stubborn, calls, addresses, item } = await whoHasLooked(context)
  // In its last second nobody is given a new token any more.
  const expires_at = Date.now() + 1000
  await product.services.db.updateTable('sessions').set({ expires_at }).execute()
  context.mock.timers.enable({ apis: ['Date'], now: expires_at - 1000 })
  await seesAll(stubborn, addresses)
  context.mock.timers.tick(1000)
  await getsNothing(stubborn, calls, item.thumbnailUrl)
})

onOneDatabase('a session that is due for a longer life gets it, whatever was asked before', async (context) => {
  const { product, stubborn } = await whoHasLooked(context)
  await product.services.db
    .updateTable('sessions')
    .set({ expires_at: Date.now() + dayMs })
    .execute()
  const answer = await stubborn.get('/api/media')
  assert.equal(answer.cookies[0]?.name, 'albumen_session')
  assert.equal((await stubborn.get('/api/media')).cookies.length, 0)
})

onOneDatabase(
  'a visitor loses a picture with its page: when that is closed, and when its time is over',
  async (context) => {
    const { product, ann, item, collectionId } = await whoHasLooked(context)
    const visitor = product.visitor()
    const seen = async () => (await visitor.get(item.thumbnailUrl)).statusCode
    const share = (isPublic: boolean) => ann.patch(`/api/collections/${collectionId}/visibility`, { isPublic })
    assert.equal(await seen(), 404)
    await share(true)
    assert.deepEqual([await seen(), await seen(), await seen()], [200, 200, 200])
    await share(false)
    assert.equal(await seen(), 404)
    await share(true)
    const share_expires_at = Date.now() + 60_000
    await product.services.db.updateTable('collections').set({ share_expires_at }).execute()
    context.mock.timers.enable({ apis: ['Date'], now: share_expires_at - 1 })
    assert.deepEqual([await seen(), await seen(), await seen()], [200, 200, 200])
    context.mock.timers.tick(1)
    assert.equal(await seen(), 404)
  },
)

onOneDatabase('what was deleted, replaced or moved to another name is not shown again', async (context) => {
  const { ann, stubborn, item, collectionId } = await whoHasLooked(context)
  const names = async () =>
    (await stubborn.get('/api/media')).json().media.map(({ filename }: { filename: string }) => filename)
  await ann.patch(`/api/media/${item.id}`, { filename: 'renamed.jpg' })
  assert.deepEqual(await names(), ['renamed.jpg'])
  await ann.patch(`/api/collections/${collectionId}`, { name: 'Autumn' })
  const [listed] = (await stubborn.get('/api/media')).json().media
  assert.deepEqual(
    listed.collections.map(({ name }: { name: string }) => name),
    ['Autumn'],
  )
  await ann.delete(`/api/media/${item.id}`)
  assert.deepEqual(await names(), [])
  assert.equal((await stubborn.get(item.thumbnailUrl)).statusCode, 404)
  assert.equal((await stubborn.get(`/api/media/${item.id}`)).statusCode, 404)
})
