import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { continueAs } from '#platform/server/runs/runs.ts'
import { findRunByKey } from '#platform/server/runs/runs-store.ts'
import { holdTransaction, untilBlocked } from '#tests/support/held-transaction.ts'
import { makePhoto, makePng } from '#tests/support/pictures.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import type { Proposal } from '../../contract.ts'
import { productWithEndpoint } from '../analysis.fixture.ts'
import { applyKind } from './runs.ts'

async function startReview(user: TestUser, mediaIds: number[], runId = 'run') {
  const answer = await user.post('/api/media/bulk-ai-tag', { mediaIds, runId, review: true })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json()
}

const stateOf = async (user: TestUser, id: number) => {
  const { aiDescription, aiTags, aiStatus, aiError, aiModel } = (await user.get(`/api/media/${id}`)).json()
  return { aiDescription, aiTags, aiStatus, aiError, aiModel }
}

const untouched = { aiDescription: null, aiTags: [], aiStatus: 'none', aiError: null, aiModel: null }

test('suggestions wait for a review, even across a restart, and change no item before they are applied', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'refusing-the-second')
  const ann = await product.register()
  const ids: number[] = []
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) ids.push((await ann.addPicture(name)).id)
  const { message, summary, run } = await startReview(ann, ids)
  assert.equal(message, '2 items analyzed. 1 item failed. Nothing changes until you review it.')
  assert.deepEqual([summary, run.status], [{ successful: 2, failed: 1 }, 'review'])
  for (const id of ids) assert.deepEqual(await stateOf(ann, id), untouched, 'items do not show the failure')

  await product.restart()
  const { reviews } = (await ann.get('/api/ai-reviews')).json()
  assert.deepEqual(
    reviews.map(({ runId, items }: { runId: string; items: number }) => [runId, items]),
    [['run', 2]],
  )
  const review = (await ann.get('/api/ai-reviews/run')).json()
  assert.deepEqual([review.accepted, review.items.length, review.errors.length], [2, 2, 1])
  assert.match(review.errors[0].message, /refused to describe/)
  const [first] = review.items as Proposal[]
  assert.deepEqual(first!.description, { before: null, after: 'A close-up of an orange cat.', isAccepted: true })
  assert.deepEqual(first!.tags, [
    { tag: 'cat', change: 'added', isAccepted: true },
    { tag: 'animal', change: 'added', isAccepted: true },
  ])
  assert.equal((await ann.post('/api/ai-runs/run/revert')).statusCode, 409, 'there is nothing to revert yet')

  const applied = await ann.post('/api/ai-reviews/run/apply')
  assert.equal(applied.statusCode, 200, applied.body)
  assert.deepEqual(applied.json().summary, { successful: 2, failed: 1 })
  assert.equal(applied.json().run.status, 'done')
  const after = await stateOf(ann, first!.media.id)
  assert.deepEqual(after, {
    aiDescription: 'A close-up of an orange cat.',
    aiTags: ['cat', 'animal'],
    aiStatus: 'done',
    aiError: null,
    aiModel: 'refusing-the-second',
  })
  assert.equal((await ann.get('/api/media?search=orange')).json().media.length, 2)
  assert.equal((await ann.post('/api/ai-reviews/run/apply')).statusCode, 409)
  assert.equal(endpoint.asked('refusing-the-second').length, 3, 'no request is repeated')

  assert.equal((await ann.post('/api/ai-runs/run/revert')).json().reverted, 2)
  for (const { media } of review.items as Proposal[]) assert.deepEqual(await stateOf(ann, media.id), untouched)
})

test('an item, a description and single tags can be rejected, and rejected tags do not return', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const [whole, partly] = [(await ann.addPicture('whole.jpg')).id, (await ann.addPicture('partly.jpg')).id]
  await startReview(ann, [whole, partly])
  const rejected = await ann.patch(`/api/ai-reviews/run/items/${whole}`, { isAccepted: false })
  assert.equal(rejected.json().isAccepted, false)
  await ann.patch(`/api/ai-reviews/run/items/${partly}`, { isDescriptionAccepted: false })
  const chosen = (await ann.patch(`/api/ai-reviews/run/items/${partly}`, { refusedTags: ['cats'] })).json()
  assert.equal(chosen.description.isAccepted, false)
  assert.deepEqual(
    chosen.tags.map(({ tag, isAccepted }: Proposal['tags'][number]) => [tag, isAccepted]),
    [
      ['cat', false],
      ['animal', true],
    ],
  )
  assert.equal((await ann.get('/api/ai-reviews/run')).json().accepted, 1, 'choices are kept')
  const { summary } = (await ann.post('/api/ai-reviews/run/apply')).json()
  assert.deepEqual(summary, { successful: 1, failed: 0 })
  assert.deepEqual(await stateOf(ann, whole), untouched)
  assert.deepEqual(await stateOf(ann, partly), {
    aiDescription: null,
    aiTags: ['animal'],
    aiStatus: 'done',
    aiError: null,
    aiModel: 'good',
  })
  const again = (await ann.post(`/api/media/${partly}/analyze`)).json()
  assert.deepEqual(again.aiTags, ['animal'], 'the rejected tag is not added')
  await ann.post(`/api/media/${partly}/revert-analysis`)
  await ann.post('/api/ai-runs/run/revert')
  const fresh = (await ann.post(`/api/media/${partly}/analyze`)).json()
  assert.deepEqual(fresh.aiTags, ['cat', 'animal'], 'reverting the run also reverts its rejections')
})

test('items that a repeated run would not change come last and are not counted', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const [same, fresh] = [(await ann.addPicture('same.jpg')).id, (await ann.addPicture('fresh.jpg')).id]
  await ann.post(`/api/media/${same}/analyze`)
  await startReview(ann, [same, fresh])
  const [listed] = (await ann.get('/api/ai-reviews')).json().reviews
  assert.deepEqual([listed.items, listed.changes], [2, 1])
  const { accepted, changes, items, pagination } = (await ann.get('/api/ai-reviews/run')).json()
  assert.deepEqual([accepted, changes, pagination.totalCount], [1, 1, 2])
  assert.deepEqual(
    items.map(({ media }: Proposal) => media.id),
    [fresh, same],
  )
  await ann.patch(`/api/ai-reviews/run/items/${fresh}`, { isAccepted: false })
  assert.equal((await ann.get('/api/ai-reviews/run')).json().accepted, 0)
  await ann.patch(`/api/ai-reviews/run/items/${fresh}`, { isAccepted: true })
  assert.equal((await ann.post('/api/ai-reviews/run/apply')).json().message, '1 item changed.')
})

test('two concurrent choices for the same item are both stored', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const { id } = await ann.addPicture()
  await startReview(ann, [id])
  const choices = [{ isDescriptionAccepted: false }, { refusedTags: ['cat'] }]
  const held = await holdTransaction(product.services.db, (transaction) =>
    transaction.updateTable('run_items').set({ error: null }).execute(),
  )
  const answers = choices.map((choice) => ann.patch(`/api/ai-reviews/run/items/${id}`, choice))
  await untilBlocked(product.services.db, answers.length)
  await held.end()
  for (const { statusCode, body } of await Promise.all(answers)) assert.equal(statusCode, 200, body)
  await ann.post('/api/ai-reviews/run/apply')
  const { aiDescription, aiTags } = await stateOf(ann, id)
  assert.deepEqual([aiDescription, aiTags], [null, ['animal']])
})

test("a tag whose removal is rejected becomes the user's own, and a description that stays keeps its author", async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const { id } = await ann.addPicture()
  const before = (await ann.post(`/api/media/${id}/analyze`)).json()
  await product.restart({ AI_MODEL: 'second-opinion' })
  await startReview(ann, [id])
  const [proposal] = (await ann.get('/api/ai-reviews/run')).json().items as Proposal[]
  assert.equal(proposal!.description!.before, 'A close-up of an orange cat.')
  assert.deepEqual(
    proposal!.tags.map(({ tag, change }) => [tag, change]),
    [
      ['animal', 'kept'],
      ['kitten', 'added'],
      ['sofa', 'added'],
      ['cat', 'dropped'],
    ],
  )
  await ann.patch(`/api/ai-reviews/run/items/${id}`, { refusedTags: ['cat'], isDescriptionAccepted: false })
  await ann.post('/api/ai-reviews/run/apply')
  const after = (await ann.get(`/api/media/${id}`)).json()
  assert.deepEqual(after.aiTags, ['animal', 'kitten', 'sofa', 'cat'])
  assert.equal(after.tagOrigins.at(-1).source, 'person')
  assert.deepEqual(
    [after.aiDescription, after.aiModel, after.aiAnalysedAt],
    [before.aiDescription, 'good', before.aiAnalysedAt],
  )
})

test('a description that the review does not replace keeps its author', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const { id } = await ann.addPicture('cat.jpg', await makePhoto())
  const { db } = product.services
  const then = { ai_description: 'Photo in London.', ai_description_source: 'ai', ai_provider: 'openai' } as const
  await db.updateTable('media').set(then).execute()
  await startReview(ann, [id])
  // Rewritten to look like suggestions of the built-in AI.
  await db.updateTable('run_items').set({ output: sql`replace(output, '"openai"', '"local"')` }).execute()
  await ann.patch(`/api/ai-reviews/run/items/${id}`, { isDescriptionAccepted: false })
  await ann.post('/api/ai-reviews/run/apply')
  const after = (await ann.get(`/api/media/${id}`)).json()
  assert.deepEqual([after.aiDescription, after.aiProvider], ['Photo in London.', 'openai'])
  assert.deepEqual(after.aiTags, ['cat', 'animal'])
})

test('text that a user edits while suggestions wait for a review is kept', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const { id } = await ann.addPicture()
  await startReview(ann, [id])
  await ann.patch(`/api/media/${id}`, { aiDescription: 'Our Minka.', aiTags: ['minka'] })
  const [proposal] = (await ann.get('/api/ai-reviews/run')).json().items as Proposal[]
  assert.equal(proposal!.description, null, 'the review leaves the description unchanged')
  await ann.post('/api/ai-reviews/run/apply')
  const after = await stateOf(ann, id)
  assert.deepEqual([after.aiDescription, after.aiTags], ['Our Minka.', ['minka', 'cat', 'animal']])
})

test('an item whose bytes changed in the meantime keeps its suggestions', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const { id } = await ann.addPicture('large.png', await makePng({ width: 320, height: 240 }))
  await startReview(ann, [id])
  const converted = await ann.post('/api/media/bulk-convert-webp', {
    mediaIds: [id],
    quality: 50,
    deleteOriginal: true,
  })
  assert.equal(converted.statusCode, 200, converted.body)
  const { items } = (await ann.get('/api/ai-reviews/run')).json() as { items: Proposal[] }
  assert.deepEqual(
    items.map(({ media }) => media.mimeType),
    ['image/webp'],
  )
  await product.services.db.deleteFrom('ai_results').execute()
  assert.deepEqual((await ann.post('/api/ai-reviews/run/apply')).json().summary, { successful: 1, failed: 0 })
  assert.deepEqual(await tagsOf(ann), ['cat', 'animal'])
})

const tagsOf = async (user: TestUser) => (await user.get('/api/media')).json().media[0].aiTags

test('discarded suggestions change nothing, and a run without suggestions needs no review', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const { id } = await ann.addPicture()
  await startReview(ann, [id])
  const answer = await ann.delete('/api/ai-reviews/run')
  assert.deepEqual([answer.statusCode, answer.json().run.status], [200, 'discarded'])
  assert.deepEqual(await stateOf(ann, id), untouched)
  const late = await ann.post('/api/ai-reviews/run/apply')
  assert.deepEqual([late.statusCode, late.json().message], [409, 'These suggestions were discarded.'])
  assert.equal((await ann.get('/api/ai-reviews/run')).statusCode, 409)
  assert.equal((await ann.delete('/api/ai-reviews/run')).statusCode, 409)

  await product.restart({ AI_MODEL: 'refusing' })
  const { run } = await startReview(ann, [(await ann.addPicture()).id], 'refused')
  assert.equal(run.status, 'done')
  assert.deepEqual((await ann.get('/api/ai-reviews')).json().reviews, [])
})

test('stopping a run keeps its suggestions for review, and a deleted item leaves the review', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'held')
  const ann = await product.register()
  const ids: number[] = []
  for (let index = 0; index < 6; index++) ids.push((await ann.addPicture()).id)
  const arrival = endpoint.nextArrival()
  const answer = startReview(ann, ids)
  await arrival
  while (endpoint.asked('held').length < 4) await endpoint.nextArrival()
  const next = endpoint.nextArrival()
  endpoint.release()
  await next
  assert.equal((await ann.post('/api/ai-runs/run/cancel')).json().status, 'review')
  assert.equal((await answer).run.status, 'review')
  await ann.delete(`/api/media/${ids[0]}`)
  const { items, pagination } = (await ann.get('/api/ai-reviews/run?limit=2')).json()
  assert.equal(items.length, 2)
  assert.ok(pagination.totalCount === 3 && pagination.hasNextPage)
  endpoint.releasePermanently()
  await product.settled()
  await ann.post('/api/ai-reviews/run/apply')
  for (const id of ids.slice(4))
    assert.deepEqual(await stateOf(ann, id), untouched, 'results after the stop are not applied')
})

test('applying a review continues in the next process after a restart', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const { id } = await ann.addPicture()
  await startReview(ann, [id])
  const { db, jobs } = product.services
  // The state of a process that is killed right after the request was stored.
  await jobs.stop(0)
  const run = (await findRunByKey(db, 'run'))!
  await db.transaction().execute((transaction) => continueAs(transaction, jobs, run, applyKind))
  await product.restart()
  await product.settled()
  assert.equal((await ann.get('/api/ai-runs/run')).json().status, 'done')
  assert.deepEqual((await stateOf(ann, id)).aiTags, ['cat', 'animal'])
})

test('deleting an account while its review is being applied leaves no failed jobs', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const [admin, ann] = [await product.register(), await product.register()]
  const picture = await ann.addPicture()
  await ann.post('/api/media/bulk-ai-tag', { mediaIds: [picture.id], runId: 'run-1', review: true })
  const { db, events } = product.services
  const deleteAccount = async () => void (await db.deleteFrom('users').where('id', '=', ann.id).execute())
  context.mock.method(events, 'publish', deleteAccount, { times: 1 })
  const answer = await ann.post('/api/ai-reviews/run-1/apply')
  assert.deepEqual([answer.statusCode, answer.json().message], [404, 'Run not found'])
  await product.settled()
  assert.deepEqual((await admin.get('/api/admin/jobs')).json().failures, [])
})
