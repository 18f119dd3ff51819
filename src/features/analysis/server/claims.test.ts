import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { makeJpeg } from '#tests/support/pictures.ts'
import { testApp } from '#tests/support/test-app.ts'
import { TestUser } from '#tests/support/test-user.ts'
import { productWithEndpoint } from './analysis.fixture.ts'
import { withClaim } from './claims.ts'

test('two processes on one database send the same bytes once, even at the same moment', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'held')
  const sibling = await product.startSibling()
  const ann = await product.register()
  const bytes = await makeJpeg()
  const [one, two] = [await ann.addPicture('one.jpg', bytes), await ann.addPicture('two.jpg', bytes)]
  const elsewhere = new TestUser(() => sibling.app)
  for (const [name, value] of ann.cookies) elsewhere.cookies.set(name, value)

  const arrival = endpoint.nextArrival()
  const here = ann.post(`/api/media/${one.id}/suggest-tags`)
  await arrival
  const second = endpoint.nextArrival()
  const there = elsewhere.post(`/api/media/${two.id}/suggest-tags`)
  // There is no event to wait for if nothing happens, and one second is long for a local request.
  const isSentAgain = await Promise.race([second.then(() => true), pause(1000, false)])
  assert.equal(isSentAgain, false)
  endpoint.release()
  assert.deepEqual((await here).json().suggestedTags, ['cat', 'animal'])
  assert.deepEqual((await there).json().suggestedTags, ['cat', 'animal'])
  assert.equal(endpoint.asked('held').length, 1)
  assert.deepEqual(await product.services.db.selectFrom('ai_claims').selectAll().execute(), [])
})

test('the claim of a dead process expires, and the claim of a running process does not', async (context) => {
  const { services } = await testApp(context)
  const { db } = services
  await db
    .insertInto('ai_claims')
    .values({ sha256: 'dead', holder: 'dead process', held_until: Date.now() - 1 })
    .execute()
  assert.equal(await withClaim(db, 'dead', async () => 'mine'), 'mine')
  await db
    .insertInto('ai_claims')
    .values({ sha256: 'ahead', holder: 'a clock that ran ahead', held_until: Date.now() + 40 * 24 * 3600_000 })
    .execute()
  assert.equal(await withClaim(db, 'ahead', async () => 'mine'), 'mine')
  await db
    .insertInto('ai_claims')
    .values({ sha256: 'alive', holder: 'other process', held_until: Date.now() + 60_000 })
    .execute()
  const signal = AbortSignal.timeout(50)
  await assert.rejects(
    withClaim(db, 'alive', async () => assert.fail('another process holds the claim'), signal),
    { name: 'AbortError' },
  )
})

test('a claim is released when its work ends or fails', async (context) => {
  const { services } = await testApp(context)
  const failing = withClaim(services.db, 'bytes', async () => {
    throw new Error('no')
  })
  await assert.rejects(failing, /no/)
  assert.equal(await withClaim(services.db, 'bytes', async () => 'again'), 'again')
})
