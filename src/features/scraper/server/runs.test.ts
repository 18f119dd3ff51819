import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fakeWeb } from '#tests/support/fake-web.ts'
import { parseEvents } from '#tests/support/live-events.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { until } from '#tests/support/until.ts'
import type { RunProgress } from '../contract.ts'
import { currentRun, heldPicture, lastEvent } from './runs.fixture.ts'
import { tidyScrapes } from './runs.ts'

const mediaCount = async (user: TestUser) => (await user.get('/api/media')).json().pagination.totalCount

async function listen(app: import('fastify').FastifyInstance) {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

test('a run continues when its client disconnects, and can be followed to its end later', async (context) => {
  const web = await fakeWeb(context)
  const held = await heldPicture(web, '/slow.jpg')
  const quick = web.file('/quick.jpg', await makeJpeg())
  const { app, register } = await testApp(context, web.settings)
  const ann = await register()
  assert.equal(await currentRun(ann), null)
  const origin = await listen(app)
  const leaving = new AbortController()
  const headers = { cookie: ann.cookieHeader, 'content-type': 'application/json' }
  const body = JSON.stringify({ urls: [quick, held.url] })
  const response = await fetch(`${origin}/api/upload-from-urls`, {
    method: 'POST',
    headers,
    body,
    signal: leaving.signal,
  })
  const reader = response.body!.getReader()
  let heard = ''
  while (!heard.includes('"current":1')) heard += new TextDecoder().decode((await reader.read()).value)
  await held.asked
  leaving.abort()

  const run = await currentRun(ann)
  assert.deepEqual([run.isComplete, run.total, run.successCount, run.kind], [false, 2, 1, 'urls'])
  const following = ann.get(`/api/scrape-runs/events?runId=${run.id}`)
  held.allow()
  const events = parseEvents<RunProgress>((await following).body)
  assert.deepEqual([events[0]!.step, events[1]!.current], ['starting', 1])
  assert.deepEqual([events.at(-1)!.step, events.at(-1)!.results], ['complete', { successCount: 2, errorCount: 0 }])
  assert.equal(await mediaCount(ann), 2)

  assert.equal((await currentRun(ann)).isComplete, true)
  assert.equal((await ann.post(`/api/scrape-runs/${run.id}/dismiss`)).statusCode, 200)
  assert.equal(await currentRun(ann), null)
  const late = parseEvents<RunProgress>((await ann.get(`/api/scrape-runs/events?runId=${run.id}`)).body)
  assert.equal(late.at(-1)!.step, 'complete', 'a late follower gets the final event')
})

onOneDatabase('one user’s slow sites leave a slot for other users', async (context) => {
  const web = await fakeWeb(context)
  const held = await Promise.all(['/1.jpg', '/2.jpg', '/3.jpg'].map((path) => heldPicture(web, path)))
  const quick = web.file('/quick.jpg', await makeJpeg())
  const { register, services } = await testApp(context, web.settings)
  const [ann, ben] = [await register(), await register()]
  for (const { url } of held) void ann.post('/api/upload-from-urls', { urls: [url] })
  const runs = services.db.selectFrom('runs').select('id')
  await until('all three have begun', async () => (await runs.execute()).length === held.length)
  const events = parseEvents<RunProgress>((await ben.post('/api/upload-from-urls', { urls: [quick] })).body)
  assert.deepEqual(events.at(-1)!.results, { successCount: 1, errorCount: 0 })
  const ended = services.db.selectFrom('run_items').select('input').where('state', '!=', 'waiting')
  const names = (await ended.execute()).map(({ input }) => JSON.parse(input!).name)
  assert.deepEqual(names, ['quick.jpg'], 'no slow one was given up for it')
  for (const { allow } of held) allow()
})

test('a cancelled run finishes its current images, starts no more, and keeps what it has', async (context) => {
  const web = await fakeWeb(context)
  const held = await Promise.all(['/1.jpg', '/2.jpg', '/3.jpg', '/4.jpg'].map((path) => heldPicture(web, path)))
  const later = await Promise.all(['/5.jpg', '/6.jpg'].map((path) => heldPicture(web, path)))
  const isAsked = later.map(({ asked }) => asked.then(() => assert.fail('an image was begun after the stop')))
  const { register, services } = await testApp(context, web.settings)
  const ann = await register()
  const running = ann.post('/api/upload-from-urls', { urls: [...held, ...later].map(({ url }) => url) })
  await Promise.all(held.map(({ asked }) => asked))
  const { id } = await currentRun(ann)
  const stop = () => ann.post(`/api/scrape-runs/${id}/cancel`)
  assert.equal((await stop()).json().message, 'Stopping. 4 images are still uploading.')
  const stopping = await currentRun(ann)
  assert.deepEqual([stopping.isComplete, stopping.stoppedCount], [false, 2])
  for (const { allow } of held) allow()
  const end = lastEvent((await Promise.race([running, ...isAsked])).body as string)
  assert.deepEqual(
    [end.step, end.current, end.total, end.stoppedCount, end.results],
    ['complete', 4, 6, 2, { successCount: 4, errorCount: 0 }],
  )
  assert.equal(end.message, 'Uploaded 4 images; 2 images were not uploaded.')
  assert.equal(await mediaCount(ann), 4)
  assert.equal((await stop()).json().message, 'The upload has ended.')

  await services.jobs.stop()
  const waiting = ann.post('/api/upload-from-urls', { urls: [later[0]!.url] })
  const next = await until('the next run', async () => {
    const run = await currentRun(ann)
    return run.id > id ? run : undefined
  })
  await ann.post(`/api/scrape-runs/${next.id}/cancel`)
  const over = lastEvent((await waiting).body)
  assert.deepEqual([over.step, over.stoppedCount], ['complete', 1], 'a queued run is over at once')
})

test('a run interrupted by a restart continues and imports every image exactly once', async (context) => {
  const web = await fakeWeb(context)
  const asked = Promise.withResolvers<void>()
  const endless = web.answer('/endless.jpg', async (_request, response) => {
    response.writeHead(200, { 'content-type': 'image/jpeg' }).write(await makeJpeg())
    // The response never pauses, so only the restart ends it.
    const more = setInterval(() => response.write(Buffer.alloc(10_000)), 50)
    response.once('close', () => clearInterval(more))
    asked.resolve()
  })
  const urls = [endless]
  for (let index = 0; index < 6; index++) urls.push(web.file(`/${index}.jpg`, await makeJpeg()))
  const product = await testApp(context, web.settings)
  const ann = await product.register()
  const cut = ann.post('/api/upload-from-urls', { urls })
  await asked.promise
  web.file('/endless.jpg', await makeJpeg())
  await product.restart()
  assert.equal(
    parseEvents<RunProgress>((await cut).body).some(({ step }) => step === 'complete'),
    false,
  )
  const { id } = await currentRun(ann)
  const events = parseEvents<RunProgress>((await ann.get(`/api/scrape-runs/events?runId=${id}`)).body)
  assert.deepEqual(events.at(-1)!.results, { successCount: 7, errorCount: 0 })
  assert.equal(await mediaCount(ann), 7)
})

test('an image whose import was interrupted is added once, even if the site changed it', async (context) => {
  const web = await fakeWeb(context)
  const url = web.file('/a.jpg', await makeJpeg())
  const product = await testApp(context, web.settings)
  const { services } = product
  const ann = await product.register()
  let stopped: Promise<void> | undefined
  const { enqueue } = services.jobs
  context.mock.method(services.jobs, 'enqueue', async (...args: Parameters<typeof enqueue>) => {
    await enqueue(...args)
    if (args[1] !== 'analyze-media' || stopped) return
    // The last step of the transaction that adds the item.
    stopped = services.jobs.stop(0)
    await delay(50)
    throw new Error('The process ended here')
  })
  const cut = ann.post('/api/upload-from-urls', { urls: [url] })
  await until('the item is being added', async () => stopped !== undefined)
  await stopped
  assert.equal(await mediaCount(ann), 0)
  web.file('/a.jpg', await makeJpeg())
  await product.restart()
  await cut
  await product.settled()
  assert.equal(await mediaCount(ann), 1)
  assert.equal((await currentRun(ann)).successCount, 1)
})

test('a long run continues over several jobs', async (context) => {
  const web = await fakeWeb(context)
  const jpeg = await makeJpeg()
  const urls = Array.from({ length: 62 }, (_, index) =>
    web.file(`/${index}.jpg`, index % 13 === 0 ? Buffer.from('no') : jpeg),
  )
  const { register, services } = await testApp(context, web.settings)
  const ann = await register()
  const enqueued = context.mock.method(services.jobs, 'enqueue')
  const events = parseEvents<RunProgress>((await ann.post('/api/upload-from-urls', { urls })).body)
  assert.equal(enqueued.mock.calls.filter(({ arguments: [, kind] }) => kind === 'scrape-run').length, 2)
  assert.deepEqual(events.at(-1)!.results, { successCount: 57, errorCount: 5 })
  const turns = events.filter(({ step }) => step === 'processing').map(({ current }) => current)
  assert.deepEqual(
    turns,
    urls.map((_, index) => index + 1),
    'each image is told once, in order',
  )
  assert.equal(await mediaCount(ann), 57)
})

test('an image deleted right after its import is not imported again', async (context) => {
  const web = await fakeWeb(context)
  const address = web.file('/unwanted.jpg', await makeJpeg())
  const { register, services, settled } = await testApp(context, web.settings)
  const ann = await register()
  const { db, events } = services
  const deleteAll = async () => void (await db.deleteFrom('media').execute())
  context.mock.method(events, 'publish', deleteAll, { times: 1 })
  const { results } = lastEvent((await ann.post('/api/upload-from-urls', { urls: [address] })).body)
  assert.deepEqual(results, { successCount: 1, errorCount: 0 })
  await settled()
  assert.equal(await mediaCount(ann), 0)
})

test('old runs and previews are deleted, and a run without a job is ended', async (context) => {
  const web = await fakeWeb(context)
  const { register, services, settled } = await testApp(context, web.settings)
  const { db } = services
  const ann = await register()
  const address = `${web.origin}/gone.jpg`
  await ann.post('/api/scrape-preview', { url: web.page('/', `<title>One</title><img src="${address}">`) })
  await ann.post('/api/upload-from-urls', { urls: [address] })
  const { id } = await currentRun(ann)
  // The run is complete a moment before its job is, and until then it counts as having a job.
  await settled()
  await tidyScrapes(db)
  assert.equal((await currentRun(ann)).id, id, 'what is new stays')
  assert.equal((await db.selectFrom('scrape_finds').selectAll().execute()).length, 1)

  const begunAgain = { status: 'running', error: null } as const
  await db.updateTable('run_items').set({ state: 'waiting' }).execute()
  await db.transaction().execute(async (transaction) => {
    await transaction.updateTable('runs').set(begunAgain).execute()
    await services.jobs.enqueue(transaction, 'scrape-run', { runId: id })
    // As after five crashed attempts.
    await transaction.updateTable('jobs').set({ attempts: 5 }).where('kind', '=', 'scrape-run').execute()
  })
  await settled()
  assert.equal((await currentRun(ann)).isComplete, true, 'a run whose job is given up is over at once')

  const longAgo = Date.now() - 8 * 24 * 3600_000
  await db
    .updateTable('runs')
    .set({ ...begunAgain, created_at: longAgo })
    .execute()
  await tidyScrapes(db)
  const ended = await currentRun(ann)
  assert.deepEqual([ended.isComplete, ended.failed[0].message], [true, 'The upload was interrupted.'])

  await db
    .updateTable('runs')
    .set({ updated_at: Date.now() - 3601_000 })
    .execute()
  assert.equal(await currentRun(ann), null, 'what ended an hour ago is not shown again')

  await db.updateTable('runs').set({ updated_at: longAgo }).execute()
  await db.updateTable('scrape_finds').set({ seen_at: longAgo }).execute()
  await tidyScrapes(db)
  for (const table of ['runs', 'run_items', 'scrape_finds'] as const)
    assert.deepEqual(await db.selectFrom(table).selectAll().execute(), [], table)
})
