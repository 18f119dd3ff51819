import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { invalid } from '#platform/errors.ts'
import { isOnPostgres } from '#tests/support/postgres.ts'
import { type TestDatabase, testDatabase } from '#tests/support/test-database.ts'
import { testJobs } from '#tests/support/test-jobs.ts'
import { leaseJobs, listFailedJobs } from './store.ts'

/** Leases a job as a process does that then dies; the lease may have expired or not. */
async function leaveLeased({ db }: TestDatabase, { leaseMs }: { leaseMs: number }) {
  const wanted = { kind: 'orphan', lease: 'a process that is no more', limit: 1, except: [], leaseMs }
  assert.equal((await leaseJobs(db, wanted)).length, 1)
}

/** A queue that does jobs of the kind `orphan`, and what it did. */
function worker(context: TestContext, database: TestDatabase, options?: Parameters<typeof testJobs>[2]) {
  const jobs = testJobs(context, database, options)
  const attempts: number[] = []
  jobs.work('orphan', { concurrency: 1 }, async (_payload, { attempt }) => void attempts.push(attempt))
  return { jobs, attempts }
}

test('the job of a process that fell silent is taken over by another', async (context) => {
  const database = await testDatabase(context)
  const { jobs, attempts } = worker(context, database)
  await jobs.enqueue(database.db, 'orphan', {})
  await leaveLeased(database, { leaseMs: 60_000 })
  await jobs.start()
  await jobs.idle()
  assert.deepEqual(attempts, [], 'while the lease holds, it is left alone')
  await database.db
    .updateTable('jobs')
    .set({ leased_until: Date.now() - 1 })
    .execute()
  await jobs.idle()
  assert.deepEqual(attempts, [2], 'the attempt of the silent one counts')
})

test('a lease of a clock that ran ahead is over, once the clock is right again', async (context) => {
  const database = await testDatabase(context)
  const { jobs, attempts } = worker(context, database)
  await jobs.enqueue(database.db, 'orphan', {})
  await leaveLeased(database, { leaseMs: 40 * 24 * 3600_000 })
  await jobs.start()
  await jobs.idle()
  assert.deepEqual(attempts, [2])
})

test('alone on its database, a process takes up at once what an earlier one left', async (context) => {
  const database = await testDatabase(context)
  const { jobs, attempts } = worker(context, database, { isOnlyProcess: true })
  await jobs.enqueue(database.db, 'orphan', {}, { key: 'one' })
  await leaveLeased(database, { leaseMs: 60_000 })
  await jobs.enqueue(database.db, 'orphan', {}, { key: 'one' })
  await jobs.start()
  await jobs.idle()
  assert.deepEqual(attempts, [2, 1])
})

test('a job that ends its process each time is given up without another try', async (context) => {
  const database = await testDatabase(context)
  const { jobs, attempts } = worker(context, database, { policy: { maxAttempts: 2 } })
  await jobs.enqueue(database.db, 'orphan', {})
  await leaveLeased(database, { leaseMs: -1 })
  await leaveLeased(database, { leaseMs: -1 })
  await jobs.start()
  await jobs.idle()
  assert.deepEqual(attempts, [])
  const [letter] = await listFailedJobs(database.db)
  assert.equal(letter?.error, 'The process ended while this job ran')
})

test('onGivenUp is called when a job fails permanently, and again if that could not be recorded', async (context) => {
  const database = await testDatabase(context)
  const { db } = database
  const jobs = testJobs(context, database, { policy: { maxAttempts: 2, leaseMs: 20 } })
  const told: unknown[] = []
  const onGivenUp = async (payload: unknown, error: unknown) => {
    told.push([payload, (error as Error).message])
    if (told.length === 1) throw new Error('The database is away')
  }
  jobs.work('broken', { concurrency: 1, onGivenUp }, async () => {
    throw new Error('The service is down')
  })
  await jobs.start()
  await jobs.enqueue(db, 'broken', { run: 1 })
  while (told.length < 2) await jobs.idle()
  await jobs.idle()
  assert.deepEqual(told, [
    [{ run: 1 }, 'The service is down'],
    [{ run: 1 }, 'The process ended while this job ran'],
  ])
  assert.equal((await listFailedJobs(db)).length, 1)
})

const leaseMs = 60_000

/** A queue whose one job lasts until `finish` is called; the time of its lease passes when the test says so. */
async function withLongJob(context: TestContext) {
  const database = await testDatabase(context)
  const jobs = testJobs(context, database, { policy: { leaseMs } })
  const begun = Promise.withResolvers<AbortSignal>()
  const finish = Promise.withResolvers<void>()
  let runs = 0
  jobs.work('long', { concurrency: 2 }, async (_payload, { signal }) => {
    runs++
    begun.resolve(signal)
    await finish.promise
  })
  context.mock.timers.enable({ apis: ['setInterval'] })
  await jobs.start()
  await jobs.enqueue(database.db, 'long', {})
  const signal = await begun.promise
  const row = () => database.db.selectFrom('jobs').selectAll().where('kind', '=', 'long').executeTakeFirst()
  const beat = () => context.mock.timers.tick(leaseMs / 3)
  return { ...database, jobs, signal, row, beat, finish: finish.resolve, runs: () => runs }
}

test('while a job runs its lease is extended, and not after its end', async (context) => {
  const { db, row, beat, jobs, finish } = await withLongJob(context)
  await db.updateTable('jobs').set({ leased_until: 1 }).execute()
  beat()
  while ((await row())!.leased_until === 1) await turn()
  finish()
  await jobs.idle()
  assert.equal(await row(), undefined)
  const asked = context.mock.method(db, 'updateTable')
  beat()
  assert.equal(asked.mock.callCount(), 0, 'the lease of a finished job is not extended')
})

test('a process that slept past its own lease does not begin the job a second time', async (context) => {
  const { db, row, jobs, finish, runs } = await withLongJob(context)
  await db
    .updateTable('jobs')
    .set({ leased_until: Date.now() - 1 })
    .execute()
  // The concurrency allows one more of the kind, and a poll that runs a later kind has checked this one before.
  const looked = new Promise<void>((resolve) => jobs.work('probe', { concurrency: 1 }, async () => resolve()))
  await jobs.enqueue(db, 'probe', {})
  await looked
  finish()
  await jobs.idle()
  assert.equal(runs(), 1)
  assert.equal(await row(), undefined)
})

test('a process that lost a job is told to stop, and cannot change the job any more', async (context) => {
  const { db, row, beat, jobs, finish, signal } = await withLongJob(context)
  const aborted = once(signal, 'abort')
  await db
    .updateTable('jobs')
    .set({ lease: 'another process', leased_until: Date.now() + leaseMs })
    .execute()
  beat()
  await aborted
  finish()
  await jobs.idle()
  assert.equal((await row())?.lease, 'another process')
})

test('a process that lost a job does not report it as given up', async (context) => {
  const database = await testDatabase(context)
  const { db } = database
  const jobs = testJobs(context, database)
  const told: unknown[] = []
  jobs.work('lost', { concurrency: 1, onGivenUp: async (payload) => void told.push(payload) }, async () => {
    await db
      .updateTable('jobs')
      .set({ lease: 'another process', leased_until: Date.now() + leaseMs })
      .execute()
    throw invalid('The file that it was about is gone.')
  })
  await jobs.start()
  await jobs.enqueue(db, 'lost', {})
  await jobs.idle()
  assert.deepEqual(told, [])
})

test('a process that cannot extend its lease is told to stop when it has run out', async (context) => {
  let now = 0
  context.mock.method(performance, 'now', () => now)
  const { db, beat, jobs, finish, signal } = await withLongJob(context)
  const away = context.mock.method(db, 'updateTable', () => {
    throw new Error('The database is away')
  })
  for (const [passed, isOver] of [
    [leaseMs, false],
    [leaseMs + 1, true],
  ] as const) {
    now = passed
    beat()
    await turn()
    assert.equal(signal.aborted, isOver)
  }
  away.mock.restore()
  finish()
  await jobs.idle()
})

test('kill -9 in the middle of a job loses nothing: the next process does it again', async (context) => {
  const { db, settings, notifications } = await testDatabase(context)
  const jobs = testJobs(context, { db, notifications } as TestDatabase)
  await jobs.enqueue(db, 'survive', { name: 'Ann' })
  const start = (mode: 'hang' | 'finish') => {
    const child = fork(new URL('./job-process.fixture.ts', import.meta.url), [mode], {
      execArgv: [],
      env: { PATH: process.env.PATH, ...settings },
    })
    context.after(() => child.kill('SIGKILL'))
    return child
  }
  const first = start('hang')
  assert.deepEqual((await once(first, 'message'))[0], { begun: { name: 'Ann' }, attempt: 1 })
  first.kill('SIGKILL')
  await once(first, 'exit')
  const second = start('finish')
  assert.deepEqual((await once(second, 'message'))[0], { begun: { name: 'Ann' }, attempt: 2 })
  assert.deepEqual(await once(second, 'exit'), [0, null])
  assert.deepEqual(await db.selectFrom('jobs').selectAll().execute(), [])
})

if (isOnPostgres) {
  test('a process whose clock is ahead takes nothing from one that is at work', async (context) => {
    const database = await testDatabase(context)
    const { jobs, attempts } = worker(context, database)
    await jobs.enqueue(database.db, 'orphan', {})
    await leaveLeased(database, { leaseMs: 60_000 })
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3600_000 })
    await jobs.start()
    await jobs.idle()
    assert.deepEqual(attempts, [])
  })
}
