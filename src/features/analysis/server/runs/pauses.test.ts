import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRunByKey } from '#platform/server/runs/runs-store.ts'
import type { TestApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { until } from '#tests/support/until.ts'
import { productWithEndpoint, uploadWithAi } from '../analysis.fixture.ts'

/** Rate limits two of the first four requests, which are in flight together, so none of them knows of the pause. */
const model = 'busy-for-a-minute for four'

async function beginRun(ann: TestUser, count: number, review: boolean) {
  const mediaIds: number[] = []
  while (mediaIds.length < count) mediaIds.push((await ann.addPicture(`picture ${mediaIds.length}.jpg`)).id)
  void ann.post('/api/media/bulk-ai-tag', { mediaIds, runId: 'run', review })
  await until('the run pauses', async () => (await stateOf(ann)).pause)
  return mediaIds
}

const stateOf = async (ann: TestUser) => (await ann.get('/api/ai-runs/run')).json()

const jobOf = ({ services }: TestApp) =>
  services.db.selectFrom('jobs').selectAll().where('kind', '=', 'ai-tag-run').where('status', '=', 'waiting')

for (const review of [false, true]) {
  const what = review ? 'that is to be reviewed' : 'of AI Tag'
  test(`a run ${what} waits for the pause that the endpoint asks for, shows it, and resumes automatically`, async (context) => {
    const { product, endpoint } = await productWithEndpoint(context, model)
    const ann = await product.register()
    const mediaIds = await beginRun(ann, 6, review)
    const { status, successful, failed, pause } = await stateOf(ann)
    assert.deepEqual([status, successful, failed], ['running', 2, 0])
    assert.match(pause, /rate limited/)
    const { run_at: runAt } = await jobOf(product).executeTakeFirstOrThrow()
    assert.ok(runAt > Date.now() + 30_000, 'not before the time that the endpoint gave')
    for (const id of mediaIds)
      assert.equal((await ann.get(`/api/media/${id}`)).json().aiError, null, 'no item has failed')

    await product.restart()
    await product.services.db.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'ai-tag-run').execute()
    await product.settled()
    const after = await stateOf(ann)
    assert.deepEqual([after.status, after.successful, after.failed], [review ? 'review' : 'done', 6, 0])
    assert.equal(after.pause, null)
    assert.equal(endpoint.asked(model).length, 8, 'two requests were rate limited, and none was repeated otherwise')
  })
}

test('an endpoint that keeps asking for pauses ends the run and receives no requests during a pause', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, model)
  const ann = await product.register()
  await beginRun(ann, 6, false)
  await uploadWithAi(product, ann)
  const { id: runId } = (await findRunByKey(product.services.db, 'run'))!
  const payload = JSON.stringify({ runId, pauses: 6 })
  await product.services.db.updateTable('jobs').set({ payload, run_at: 0 }).where('kind', '=', 'ai-tag-run').execute()
  await product.settled()
  const { status, successful, failed, errors } = await stateOf(ann)
  assert.deepEqual([status, successful, failed], ['done', 2, 4])
  assert.match(errors[0].message, /rate limited/)
  assert.equal(endpoint.asked(model).length, 4)
})
