import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { insertRun } from '#platform/server/runs/runs-store.ts'
import { listenOnPort } from '#tests/support/live-upload.ts'
import { picture } from '#tests/support/pictures.ts'
import { type TestApp, type TestOptions, testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { until } from '#tests/support/until.ts'

const kind = 'bulk-convert-webp'
const address = '/api/media/bulk-convert-webp'

/** Uploads three images, and makes the decoder fail on the second with an unexpected error. */
async function withBrokenSecond(context: TestContext, options?: TestOptions) {
  const product = await testApp(context, {}, options)
  const ann = await product.register()
  const mediaIds: number[] = []
  for (const name of ['one.jpg', 'two.jpg', 'three.jpg'])
    mediaIds.push((await ann.addPicture(name, await picture(300, 200).jpeg({ quality: 95 }).toBuffer())).id)
  const { images, db } = product.services
  const rows = db.selectFrom('media').select('blob').where('id', '=', mediaIds[1]!)
  const { blob } = await rows.executeTakeFirstOrThrow()
  const { convert } = images
  const attempted = Promise.withResolvers<void>()
  const decoder = { isBroken: true }
  context.mock.method(images, 'convert', (input: Parameters<typeof convert>[0]) => {
    if (!decoder.isBroken || !input.path.endsWith(blob)) return convert(input)
    attempted.resolve()
    return Promise.reject(new Error('EIO: i/o error'))
  })
  return { product, ann, mediaIds, attempted: attempted.promise, decoder }
}

const jobsOf = ({ services: { db } }: TestApp) => db.selectFrom('jobs').selectAll().where('kind', '=', kind).execute()

/** Retries failed jobs immediately until `isOver`. */
async function retryUntil(product: TestApp, isOver: () => Promise<boolean>) {
  const { db, jobs } = product.services
  while (!(await isOver())) {
    await db.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', kind).where('status', '=', 'waiting').execute()
    await jobs.idle()
  }
}

test('an item that fails every attempt is reported, and the run continues with the next item', async (context) => {
  const { product, ann, mediaIds, attempted } = await withBrokenSecond(context)
  const { db } = product.services
  const converting = ann.post(address, { mediaIds, quality: 60 })
  await attempted
  await retryUntil(product, async () => (await jobsOf(product)).length === 0)
  const answer = await converting
  assert.equal(answer.statusCode, 200, answer.body)
  assert.deepEqual(answer.json().summary, { successful: 2, failed: 1 })
  assert.deepEqual(answer.json().errors, [
    { id: mediaIds[1], message: 'Something went wrong on our end with this item.' },
  ])
  const run = db.selectFrom('runs').select(['status', 'turns']).where('kind', '=', kind)
  assert.deepEqual(await run.execute(), [{ status: 'ended', turns: 3 }])
})

test('a run whose job crashed the process on every attempt reports what it did', async (context) => {
  const { product, ann, mediaIds, attempted } = await withBrokenSecond(context)
  const { db } = product.services
  const converting = ann.post(address, { mediaIds, quality: 60, runId: 'run1' })
  await attempted
  await product.settled()
  // All attempts are used up, and the process ended each time before it could record a failure.
  await db.updateTable('jobs').set({ attempts: 5 }).where('kind', '=', kind).execute()
  await retryUntil(product, async () => (await jobsOf(product)).some(({ status }) => status === 'failed'))
  const { summary, errors } = (await converting).json()
  assert.deepEqual(summary, { successful: 1, failed: 2 })
  assert.deepEqual(
    errors,
    mediaIds.slice(1).map((id) => ({ id, message: 'The run was interrupted.' })),
  )
})

for (const isTakenUpAgain of [false, true]) {
  const again = isTakenUpAgain ? 'was taken up again and ' : ''
  test(`a run that ${again}is stopped finishes its current item and returns the remaining ones`, async (context) => {
    const product = await testApp(context)
    const ann = await product.register()
    const mediaIds = [(await ann.addPicture()).id, (await ann.addPicture()).id, (await ann.addPicture()).id]
    const { db, images, events, jobs } = product.services
    const [attempted, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { convert } = images
    let breaksOff = isTakenUpAgain
    context.mock.method(images, 'convert', async (input: Parameters<typeof convert>[0]) => {
      if (breaksOff) throw new Error('EIO: i/o error')
      attempted.resolve()
      await goOn.promise
      return convert(input)
    })
    const converting = ann.post(address, { mediaIds, quality: 60, runId: 'run1' })
    if (isTakenUpAgain) {
      await until('the first try has failed', async () => (await jobsOf(product))[0]?.error)
      breaksOff = false
      await db.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', kind).execute()
      void jobs.idle()
    }
    await attempted.promise
    assert.equal((await ann.post('/api/bulk-runs/run1/cancel')).statusCode, 200)
    // Every event makes the waiting request check the run again.
    await events.publish(ann.id, { type: 'news' })
    goOn.resolve()
    const answer = await converting
    assert.equal(answer.statusCode, 200, answer.body)
    const { message, summary, left } = answer.json()
    assert.deepEqual([summary, left], [{ successful: 1, failed: 0 }, mediaIds.slice(1)])
    assert.match(message, /^1 WebP copy added, .* smaller than its original\. 2 items not processed\.$/)
    await product.settled()
  })
}

test('a run that is stopped before it starts reports that nothing was processed', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const { id } = await ann.addPicture()
  const options = { format: 'webp', quality: 60, deleteOriginal: false, mediaIds: [id] }
  await insertRun(product.services.db, { key: 'run1', kind, ownerId: ann.id, options }, [{ input: String(id) }])
  assert.equal((await ann.post('/api/bulk-runs/run1/cancel')).statusCode, 200)
  const answer = await ann.post(address, { mediaIds: [id], quality: 60, runId: 'run1' })
  assert.equal(answer.statusCode, 200, answer.body)
  assert.deepEqual([answer.json().summary, answer.json().left], [{ successful: 0, failed: 0 }, [id]])
  assert.match(answer.json().message, /^No images converted\. 1 item not processed\.$/)
})

test('a run continues after its request is aborted, and the request ends at once', async (context) => {
  const ended = Promise.withResolvers<string>()
  const { product, ann, mediaIds, attempted, decoder } = await withBrokenSecond(context, {
    prepare: (app) => app.addHook('onError', async (_request, _reply, error) => ended.resolve(error.message)),
  })
  const leaving = new AbortController()
  const asked = fetch((await listenOnPort(product.app)) + address, {
    method: 'POST',
    headers: { cookie: ann.cookieHeader, 'content-type': 'application/json' },
    body: JSON.stringify({ mediaIds, quality: 60 }),
    signal: leaving.signal,
  })
  await attempted
  leaving.abort()
  await assert.rejects(asked, { name: 'AbortError' })
  assert.equal(await ended.promise, 'The request was canceled.')
  decoder.isBroken = false
  await retryUntil(product, async () => (await jobsOf(product)).length === 0)
  assert.equal((await ann.get('/api/media?search=webp')).json().pagination.totalCount, 3)
})

test('a long run continues as a chain of jobs, so that restarts do not use up its attempts', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const { id } = await ann.addPicture('one.jpg', await picture(300, 200).jpeg({ quality: 95 }).toBuffer())
  const { jobs } = product.services
  const enqueue = context.mock.method(jobs, 'enqueue')
  const missing = Array.from({ length: 130 }, (_, index) => id + index + 1)
  const answer = await ann.post(address, { mediaIds: [...missing, id], quality: 60 })
  assert.deepEqual(answer.json().summary, { successful: 1, failed: 130 })
  assert.equal(enqueue.mock.calls.filter(({ arguments: [, wanted] }) => wanted === kind).length, 14)
})

test('a long conversion does not delay the runs of other users until its end', async (context) => {
  const product = await testApp(context)
  const [ann, ben] = [await product.register(), await product.register()]
  const addOne = async (owner: TestUser, width: number) =>
    (await owner.addPicture('one.jpg', await picture(width, 200).jpeg({ quality: 95 }).toBuffer())).id
  const many: number[] = []
  for (let count = 0; count < 15; count++) many.push(await addOne(ann, 300 + count))
  const one = [await addOne(ben, 500)]
  const order: string[] = []
  const convert = async (name: string, owner: TestUser, mediaIds: number[]) => {
    const answer = await owner.post(address, { mediaIds, quality: 60 })
    assert.equal(answer.json().summary.successful, mediaIds.length, answer.body)
    order.push(name)
  }
  await Promise.all([convert('many', ann, many), convert('one', ben, one)])
  assert.deepEqual(order, ['one', 'many'])
})
