import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, invalid, unavailable } from '#platform/errors.ts'
import { countedJobs, testQueue } from '#tests/support/test-jobs.ts'
import { ChangeRefused } from '../db/change.ts'
import { usualPolicy } from './policy.ts'
import { dismissFailedJob, listFailedJobs, retryFailedJob } from './store.ts'

test('a job that fails is tried again later, and says why meanwhile', async (context) => {
  const { db, jobs } = await testQueue(context, { policy: { backOffMs: (attempt) => attempt * 60_000 } })
  jobs.work('shaky', { concurrency: 1 }, async () => {
    throw new Error('The line was cut')
  })
  await jobs.start()
  const waits: number[] = []
  for (let round = 0; round < 2; round++) {
    const before = Date.now()
    if (round === 0) await jobs.enqueue(db, 'shaky', {})
    else await db.updateTable('jobs').set({ run_at: before }).execute()
    await jobs.idle()
    const row = await db.selectFrom('jobs').selectAll().executeTakeFirstOrThrow()
    assert.deepEqual([row.status, row.error, row.attempts], ['waiting', 'The line was cut', round + 1])
    waits.push(row.run_at - before)
  }
  assert.ok(waits[0]! >= 60_000 && waits[1]! >= 120_000, 'each time it waits longer')
  const usual = [1, 2, 3, 4].map(usualPolicy.backOffMs)
  assert.deepEqual(usual, [2000, 8000, 32_000, 128_000])
})

test('a job that fails every time ends as a dead letter that can be retried or dismissed', async (context) => {
  const { db, jobs } = await testQueue(context)
  const attempts: [number, boolean][] = []
  let isMended = false
  jobs.work('broken', { concurrency: 1 }, async (_payload, { attempt, isLastAttempt }) => {
    attempts.push([attempt, isLastAttempt])
    if (!isMended) throw unavailable('The service is down')
  })
  await jobs.start()
  await jobs.enqueue(db, 'broken', {})
  await jobs.idle()
  assert.deepEqual(attempts, [
    [1, false],
    [2, false],
    [3, true],
  ])
  const [letter] = await listFailedJobs(db)
  assert.deepEqual([letter?.kind, letter?.error, letter?.attempts], ['broken', 'The service is down', 3])
  assert.deepEqual(await countedJobs(db), ['1 broken failed'])

  isMended = true
  assert.equal(await retryFailedJob(db, letter!.id), true)
  assert.equal(await retryFailedJob(db, letter!.id), false, 'it waits already')
  await jobs.idle()
  assert.deepEqual(attempts.at(-1), [1, false])
  assert.deepEqual(await listFailedJobs(db), [])

  isMended = false
  await jobs.enqueue(db, 'broken', {})
  await jobs.idle()
  const [second] = await listFailedJobs(db)
  assert.equal(await dismissFailedJob(db, second!.id), true)
  assert.equal(await dismissFailedJob(db, second!.id), false)
  assert.deepEqual(await countedJobs(db), [])
})

test('a job that fails with a request error is not retried', async (context) => {
  const { db, jobs } = await testQueue(context)
  let runs = 0
  jobs.work('hopeless', { concurrency: 1 }, async () => {
    runs++
    throw invalid('This is no picture.')
  })
  jobs.work('odd', { concurrency: 1 }, async () => {
    runs++
    throw new AppError('odd', 404, 'Media not found')
  })
  await jobs.start()
  await jobs.enqueue(db, 'hopeless', {})
  await jobs.enqueue(db, 'odd', {})
  await jobs.idle()
  assert.equal(runs, 2)
  const letters = await listFailedJobs(db)
  assert.deepEqual(letters.map(({ error }) => error).sort(), ['Media not found', 'This is no picture.'])
})

test('a failed job can be retried although the same job was enqueued again meanwhile', async (context) => {
  const { db, jobs } = await testQueue(context)
  jobs.work('hopeless', { concurrency: 1 }, () => Promise.reject(invalid('This is no picture.')))
  await jobs.start()
  await jobs.enqueue(db, 'hopeless', {}, { key: 'same' })
  await jobs.idle()
  const [letter] = await listFailedJobs(db)
  // A running queue would take the job before the test can look at it.
  await jobs.stop()
  await jobs.enqueue(db, 'hopeless', {}, { key: 'same', runAt: Date.now() + 60_000 })
  assert.equal(await retryFailedJob(db, letter!.id), true)
  assert.equal(await dismissFailedJob(db, letter!.id), false, 'what waits is not dismissed')
  assert.deepEqual(await countedJobs(db), ['2 hopeless waiting'])
})

test('a job whose change is refused is restarted without losing an attempt', async (context) => {
  const attempts: number[] = []
  const beginChange = async () => async () => {
    if (attempts.length < 3) throw new ChangeRefused('conflict', 409, 'Replaced')
  }
  const { db, jobs } = await testQueue(context, { beginChange })
  jobs.work('change', { concurrency: 1 }, async (_payload, { attempt }) => {
    attempts.push(attempt)
    await db.transaction().execute(async () => {})
  })
  await jobs.start()
  await jobs.enqueue(db, 'change', {})
  await jobs.idle()
  assert.deepEqual(attempts, [1, 1, 1])
  assert.deepEqual(await countedJobs(db), [])
})

test('while changes are paused only unchecked jobs run', async (context) => {
  let isPaused = true
  const beginChange = async () => {
    if (isPaused) throw new ChangeRefused('unavailable', 503, 'Paused')
    return async () => {}
  }
  const { db, jobs } = await testQueue(context, { beginChange })
  const done: string[] = []
  jobs.work('change', { concurrency: 1 }, async () => void done.push('change'))
  jobs.work('restore', { concurrency: 1, isUnchecked: true }, async () => {
    done.push('restore')
    isPaused = false
  })
  await jobs.enqueue(db, 'change', {})
  await jobs.enqueue(db, 'restore', {})
  await jobs.start()
  await jobs.idle()
  assert.deepEqual(done, ['restore', 'change'])
})
