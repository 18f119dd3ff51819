import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { isOnPostgres } from '#tests/support/postgres.ts'
import { countedJobs, testJobs, testQueue } from '#tests/support/test-jobs.ts'
import type { Jobs } from './jobs.ts'

test('a job runs with what it was given, and leaves nothing behind', async (context) => {
  const { db, jobs } = await testQueue(context)
  const seen: unknown[] = []
  jobs.work('greet', { concurrency: 1 }, async (payload, { attempt, isLastAttempt }) => {
    seen.push(payload, attempt, isLastAttempt)
  })
  await jobs.start()
  await jobs.enqueue(db, 'greet', { name: 'Zoë', ids: [1, 2] })
  await jobs.idle()
  assert.deepEqual(seen, [{ name: 'Zoë', ids: [1, 2] }, 1, false])
  assert.deepEqual(await countedJobs(db), [])
})

test('jobs stay in the database until a process handles their kind', async (context) => {
  const { database, db, jobs } = await testQueue(context)
  await jobs.start()
  for (const name of ['one', 'two', 'three']) await jobs.enqueue(db, 'greet', { name })
  await jobs.idle()
  assert.deepEqual(await countedJobs(db), ['3 greet waiting'])
  await jobs.stop()
  const names: string[] = []
  const next = testJobs(context, await database.another())
  next.work<{ name: string }>('greet', { concurrency: 1 }, async ({ name }) => void names.push(name))
  await next.start()
  await next.idle()
  assert.deepEqual(names, ['one', 'two', 'three'], 'in their order')
})

test('an owner with few jobs does not wait for an owner with many', async (context) => {
  const { db, jobs } = await testQueue(context)
  const [ann, ben, zoe] = [7, 8, 30]
  const put = (name: string, ownerId?: number, runAt?: number) =>
    jobs.enqueue(db, 'greet', { name }, { ownerId, runAt })
  for (const name of ['ann 1', 'ann 2', 'ann 3', 'ann 4', 'ann 5']) await put(name, ann)
  await put('later', ben, Date.now() + 3600_000)
  for (const name of ['zoe 1', 'zoe 2']) await put(name, zoe)
  for (const name of ['house 1', 'house 2']) await put(name)
  await put('ben 1', ben)
  const names: string[] = []
  jobs.work<{ name: string }>('greet', { concurrency: 1 }, async ({ name }) => void names.push(name))
  await jobs.start()
  await jobs.idle()
  const firstTurns = ['ann 1', 'ben 1', 'zoe 1', 'house 1']
  assert.deepEqual(names, [...firstTurns, 'ann 2', 'zoe 2', 'house 2', 'ann 3', 'ann 4', 'ann 5'])
})

test('a job that is enqueued in a transaction exists when, and only when, that commits', async (context) => {
  const { db, jobs } = await testQueue(context)
  const names: string[] = []
  jobs.work<{ name: string }>('greet', { concurrency: 1 }, async ({ name }) => void names.push(name))
  await jobs.start()
  const failing = db.transaction().execute(async (transaction) => {
    await jobs.enqueue(transaction, 'greet', { name: 'never' })
    throw new Error('changed my mind')
  })
  await assert.rejects(failing, /changed my mind/)
  await db.transaction().execute((transaction) => jobs.enqueue(transaction, 'greet', { name: 'ever' }))
  await jobs.idle()
  assert.deepEqual(names, ['ever'])
})

test('a job for later waits until then', async (context) => {
  const { db, jobs } = await testQueue(context)
  let runs = 0
  jobs.work('later', { concurrency: 2 }, async () => void runs++)
  await jobs.enqueue(db, 'later', {}, { runAt: Date.now() + 60_000 })
  await jobs.enqueue(db, 'later', {})
  await jobs.start()
  await jobs.idle()
  assert.equal(runs, 1, 'only the one that is due')
  await db.updateTable('jobs').set({ run_at: Date.now() }).execute()
  await jobs.idle()
  assert.equal(runs, 2)
})

test('a job that is already waiting is not enqueued twice', async (context) => {
  const { db, jobs } = await testQueue(context)
  const seen: number[] = []
  jobs.work<{ n: number }>('index', { concurrency: 1 }, async ({ n }) => void seen.push(n))
  jobs.work<{ n: number }>('other', { concurrency: 1 }, async ({ n }) => void seen.push(n))
  await jobs.enqueue(db, 'index', { n: 1 }, { key: 'a' })
  await jobs.enqueue(db, 'index', { n: 2 }, { key: 'a' })
  await jobs.enqueue(db, 'index', { n: 3 }, { key: 'b' })
  await jobs.enqueue(db, 'other', { n: 4 }, { key: 'a' })
  await jobs.enqueue(db, 'index', { n: 5 })
  await jobs.enqueue(db, 'index', { n: 5 })
  await jobs.start()
  await jobs.idle()
  assert.deepEqual(seen.sort(), [1, 3, 4, 5, 5])
})

test('a job that is enqueued while the same job runs is run once more', async (context) => {
  const { db, jobs } = await testQueue(context)
  const seen: number[] = []
  const begun = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  jobs.work<{ n: number }>('index', { concurrency: 1 }, async ({ n }) => {
    seen.push(n)
    begun.resolve()
    await go.promise
    if (n === 1 && seen.length === 1) throw new Error('fails while another one waits')
  })
  await jobs.start()
  await jobs.enqueue(db, 'index', { n: 1 }, { key: 'a' })
  await begun.promise
  await jobs.enqueue(db, 'index', { n: 2 }, { key: 'a' })
  await jobs.enqueue(db, 'index', { n: 3 }, { key: 'a' })
  go.resolve()
  await jobs.idle()
  assert.deepEqual(seen.sort(), [1, 1, 2])
})

test('each kind has its own concurrency limit', async (context) => {
  const { db, jobs } = await testQueue(context)
  const release = Promise.withResolvers<void>()
  let running = 0
  let most = 0
  jobs.work('heavy', { concurrency: 3 }, async () => {
    most = Math.max(most, ++running)
    await release.promise
    running--
  })
  jobs.work('light', { concurrency: 1 }, async () => {
    assert.equal(running, 3)
    release.resolve()
  })
  for (let count = 0; count < 10; count++) await jobs.enqueue(db, 'heavy', {})
  await jobs.start()
  await jobs.enqueue(db, 'light', {}, { runAt: Date.now() + 50 })
  await release.promise
  await jobs.idle()
  assert.equal(most, 3)
  assert.deepEqual(await countedJobs(db), [])
})

test('two queues on one database share the work, and no job runs twice', async (context) => {
  const { database, db, jobs } = await testQueue(context)
  const second = testJobs(context, await database.another())
  const seen: number[] = []
  for (const each of [jobs, second]) {
    each.work<{ n: number }>('share', { concurrency: 4 }, async ({ n }) => void seen.push(n))
  }
  const all = Array.from({ length: 60 }, (_, n) => n)
  for (const n of all) await jobs.enqueue(db, 'share', { n })
  await Promise.all([jobs.start(), second.start()])
  await Promise.all([jobs.idle(), second.idle()])
  assert.deepEqual(
    seen.sort((a, b) => a - b),
    all,
  )
})

test('a stop waits for what runs and takes nothing new', async (context) => {
  const { db, jobs } = await testQueue(context)
  const { begun, finish, seen } = slowKind(jobs)
  await jobs.start()
  await jobs.enqueue(db, 'slow', { n: 1 })
  await jobs.enqueue(db, 'slow', { n: 2 })
  await begun
  const stopping = jobs.stop(60_000)
  finish()
  await stopping
  assert.deepEqual(seen, [1])
  assert.deepEqual(await countedJobs(db), ['1 slow waiting'])
})

test('a stop that must not wait tells the job to end, and gives it back untouched', async (context) => {
  const { database, db, jobs } = await testQueue(context)
  const { begun } = slowKind(jobs)
  await jobs.start()
  await jobs.enqueue(db, 'slow', { n: 1 }, { key: 'one' })
  await begun
  await jobs.stop(0)
  const row = await db.selectFrom('jobs').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual([row.status, row.attempts, row.lease, row.error], ['waiting', 0, null, null])
  const next = testJobs(context, await database.another())
  const again = slowKind(next)
  again.finish()
  await next.start()
  await next.idle()
  assert.deepEqual(again.seen, [1])
})

/** Jobs of the kind `slow` last until they are told to finish, or to end. */
function slowKind(jobs: Jobs) {
  const begun = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  const seen: number[] = []
  jobs.work<{ n: number }>('slow', { concurrency: 1 }, async ({ n }, { signal }) => {
    seen.push(n)
    begun.resolve()
    const aborted = once(signal, 'abort').then(() => Promise.reject(signal.reason))
    await Promise.race([finish.promise, aborted])
  })
  return { begun: begun.promise, finish: finish.resolve, seen }
}

if (isOnPostgres) {
  test('a job that one process asks for starts at once in another', async (context) => {
    const { database, db, jobs } = await testQueue(context)
    const far = testJobs(context, await database.another(), { policy: { pollMs: 3600_000 } })
    const done = new Promise((resolve) => far.work('far', { concurrency: 1 }, async (payload) => resolve(payload)))
    await far.start()
    await far.idle()
    await jobs.enqueue(db, 'far', { from: 'here' })
    assert.deepEqual(await done, { from: 'here' })
  })
}
