import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '#tests/support/test-database.ts'
import { testJobs } from '#tests/support/test-jobs.ts'
import { enqueueDueSchedules, saveSchedule } from './schedule-store.ts'

const yearly = '0 0 1 1 *'

test('a scheduled job runs once per occurrence with several processes', async (context) => {
  const database = await testDatabase(context)
  const { db } = database
  const queues = [testJobs(context, database), testJobs(context, await database.another())]
  let runs = 0
  for (const jobs of queues) {
    jobs.work('tidy', { concurrency: 1 }, async () => void runs++)
    await jobs.schedule('tidy', yearly)
    await jobs.start()
  }
  assert.equal(runs, 0, 'its turn has not come')
  for (let turn = 1; turn <= 5; turn++) {
    await db
      .updateTable('schedules')
      .set({ next_run_at: Date.now() - 1 })
      .execute()
    await Promise.all(queues.map((jobs) => jobs.idle()))
    await Promise.all(queues.map((jobs) => jobs.idle()))
    assert.equal(runs, turn)
  }
  const { next_run_at } = await db.selectFrom('schedules').selectAll().executeTakeFirstOrThrow()
  const next = new Date(next_run_at)
  assert.deepEqual([next.getUTCMonth(), next.getUTCDate(), next.getUTCHours()], [0, 1, 0])
  assert.ok(next_run_at > Date.now())
})

test('several missed occurrences are made up for by one run', async (context) => {
  const { db } = await testDatabase(context)
  await saveSchedule(db, 'tidy', '* * * * *', Date.now() - 24 * 3600_000)
  await enqueueDueSchedules(db, Date.now())
  await enqueueDueSchedules(db, Date.now())
  assert.equal((await db.selectFrom('jobs').selectAll().execute()).length, 1)
})

test('an occurrence while the last job is still waiting enqueues no second job', async (context) => {
  const { db } = await testDatabase(context)
  await saveSchedule(db, 'tidy', '* * * * *', Date.now())
  for (const minutes of [2, 4, 6]) await enqueueDueSchedules(db, Date.now() + minutes * 60_000)
  assert.equal((await db.selectFrom('jobs').selectAll().execute()).length, 1)
})

test('an occurrence while the last job is still running waits for its end, on any process', async (context) => {
  const database = await testDatabase(context)
  const { db } = database
  const queues = [testJobs(context, database), testJobs(context, await database.another())]
  const begun = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  let runs = 0
  for (const jobs of queues) {
    jobs.work('learn', { concurrency: 1 }, async () => {
      runs++
      begun.resolve()
      await finish.promise
    })
    await jobs.schedule('learn', yearly)
    await jobs.start()
  }
  const comeDue = () => db.updateTable('schedules').set({ next_run_at: 0 }).execute()
  await comeDue()
  await begun.promise
  await comeDue()
  await enqueueDueSchedules(db, Date.now())
  assert.deepEqual(await db.selectFrom('jobs').select('status').execute(), [{ status: 'active' }])
  finish.resolve()
  while (runs < 2) for (const jobs of queues) await jobs.idle()
  for (const jobs of queues) await jobs.idle()
  assert.equal(runs, 2)
})

test('a restart keeps the next run; a changed cron expression computes a new one', async (context) => {
  const { db } = await testDatabase(context)
  const nextTurn = async () => (await db.selectFrom('schedules').selectAll().executeTakeFirstOrThrow()).next_run_at
  const noon = Date.UTC(2030, 5, 1, 12)
  await saveSchedule(db, 'tidy', '0 * * * *', noon)
  assert.equal(await nextTurn(), Date.UTC(2030, 5, 1, 13))
  await saveSchedule(db, 'tidy', '0 * * * *', noon + 90 * 60_000)
  assert.equal(await nextTurn(), Date.UTC(2030, 5, 1, 13), 'the turn of one o’clock is not skipped')
  await saveSchedule(db, 'tidy', '30 14 * * *', noon)
  assert.equal(await nextTurn(), Date.UTC(2030, 5, 1, 14, 30))
})

test('a clock that was temporarily years ahead does not delay the next run', async (context) => {
  const database = await testDatabase(context)
  const { db } = database
  const nextTurn = async () => (await db.selectFrom('schedules').selectAll().executeTakeFirstOrThrow()).next_run_at
  const noon = Date.UTC(2030, 5, 1, 12)
  const yearsAhead = Date.UTC(2039, 0, 1)
  await saveSchedule(db, 'tidy', '0 * * * *', noon)
  await enqueueDueSchedules(db, yearsAhead)
  assert.ok((await nextTurn()) > yearsAhead)
  await saveSchedule(db, 'tidy', '0 * * * *', noon + 60_000)
  assert.equal(await nextTurn(), Date.UTC(2030, 5, 1, 13), 'the next start puts it right')

  context.mock.timers.enable({ apis: ['Date'], now: yearsAhead })
  const jobs = testJobs(context, database)
  await jobs.start()
  await jobs.idle()
  assert.ok((await nextTurn()) > yearsAhead)
  context.mock.timers.setTime(noon + 120_000)
  await jobs.idle()
  assert.equal(await nextTurn(), Date.UTC(2030, 5, 1, 13), 'so does the process that saw the clock go back')
})

test('a job that was enqueued while the clock was ahead runs on time after the clock is corrected', async (context) => {
  const database = await testDatabase(context)
  const now = Date.now()
  context.mock.timers.enable({ apis: ['Date'], now: now + 40 * 24 * 3600_000 })
  const jobs = testJobs(context, database)
  await jobs.enqueue(database.db, 'waits', {})
  await jobs.enqueue(database.db, 'waits', {}, { runAt: Date.now() + 60_000 })
  context.mock.timers.setTime(now)
  let done = 0
  jobs.work('waits', { concurrency: 1 }, async () => void done++)
  await jobs.start()
  await jobs.idle()
  assert.equal(done, 1)
  context.mock.timers.setTime(now + 60_000)
  await jobs.idle()
  assert.equal(done, 2)
})

test('an invalid cron expression is refused when it is set', async (context) => {
  const jobs = testJobs(context, await testDatabase(context))
  await assert.rejects(jobs.schedule('tidy', 'every now and then'))
})
