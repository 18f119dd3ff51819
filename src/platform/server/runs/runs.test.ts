import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pino from 'pino'
import { invalid } from '#platform/errors.ts'
import { isOnPostgres } from '#tests/support/postgres.ts'
import { testQueue } from '#tests/support/test-jobs.ts'
import { until } from '#tests/support/until.ts'
import { userNamed } from '../db/users.fixture.ts'
import { createEvents } from '../events/events.ts'
import { continueAs, NotNow, RunFailure, type RunKind, startRun, stopRun, waitForRun, workOnRuns } from './runs.ts'
import { countItems, describeProgress, findRun, insertRun, listErrors, listItems, removeOldRuns } from './runs-store.ts'

const kind = 'greet'

/** A user with a run of one item for each name, and a queue that works on it as `options` say. */
async function withRun(context: TestContext, names: string[], options: Partial<RunKind>) {
  const { database, db, jobs } = await testQueue(context)
  const log = pino({ level: 'silent' })
  const events = createEvents(database.notifications, log)
  context.after(() => events.close())
  const { id: ownerId } = await db
    .insertInto('users')
    .values(userNamed('ann'))
    .returning('id')
    .executeTakeFirstOrThrow()
  const services = { db, jobs, events, log }
  workOnRuns(services, {
    kind,
    runsAtOnce: 1,
    itemsAtOnce: 1,
    itemsPerJob: 10,
    interrupted: 'The run was interrupted.',
    begin: () => async () => {},
    ...options,
  })
  const heard: unknown[] = []
  events.subscribe(ownerId, undefined, (_id, event) => event.type === 'run' && heard.push(event))
  await jobs.start()
  const items = names.map((input) => ({ input }))
  const wanted = { kind, ownerId, key: 'mine', options: { word: 'Hello' } }
  const run = await db.transaction().execute((transaction) => startRun(transaction, jobs, wanted, items))
  const statusOf = async () => (await findRun(db, run.id))?.status
  const countsOf = async () => {
    const { done, failed, waiting } = (await countItems(db, [(await findRun(db, run.id))!])).get(run.id)!
    return { done, failed, waiting }
  }
  return { ...services, run, heard, statusOf, countsOf }
}

const names = ['ann', 'bob', 'cy']

test('a run does each item in order, says how far it is, and ends', async (context) => {
  const greeted: string[] = []
  const { db, run, heard, jobs, events, statusOf } = await withRun(context, names, {
    itemsPerJob: 2,
    begin:
      ({ options }) =>
      async ({ input }, mark) => {
        greeted.push(`${JSON.parse(options).word} ${input}`)
        await mark(db, { output: input!.toUpperCase() })
      },
  })
  await waitForRun({ db, events }, run, {})
  assert.equal(await statusOf(), 'ended')
  assert.deepEqual(greeted, ['Hello ann', 'Hello bob', 'Hello cy'])
  const items = await listItems(db, run.id)
  assert.deepEqual(
    items.map(({ state, output, turn }) => [state, output, turn]),
    [
      ['done', 'ANN', 1],
      ['done', 'BOB', 2],
      ['done', 'CY', 3],
    ],
  )
  await jobs.idle()
  await until('the last event', () => heard.length === 4)
  assert.deepEqual(heard.at(-1), {
    type: 'run',
    runId: 'mine',
    isRunning: false,
    done: 3,
    failed: 0,
    total: 3,
    pause: null,
  })
})

test('an item that is refused fails alone, with its reason', async (context) => {
  const { db, run, jobs, countsOf } = await withRun(context, names, {
    begin:
      () =>
      async ({ input }) => {
        if (input === 'bob') throw invalid('Bob is not greeted.')
      },
  })
  await jobs.idle()
  assert.deepEqual(await countsOf(), { done: 2, failed: 1, waiting: 0 })
  const [failed] = await listItems(db, run.id, { state: 'failed' })
  assert.deepEqual([failed?.input, failed?.error], ['bob', 'Bob is not greeted.'])
})

test('an unexpected fault is tried again from the item it was at, and in the end fails that item alone', async (context) => {
  const tried: string[] = []
  const { db, run, jobs } = await withRun(context, names, {
    begin:
      () =>
      async ({ input }) => {
        tried.push(input!)
        if (input === 'bob') throw new Error('EIO: i/o error')
      },
  })
  await jobs.idle()
  assert.deepEqual(tried, ['ann', 'bob', 'bob', 'bob', 'cy'])
  const [failed, ...others] = await listItems(db, run.id, { state: 'failed' })
  assert.deepEqual([failed?.input, failed?.error], ['bob', 'Something went wrong on our end with this item.'])
  assert.deepEqual(others, [])
})

test('an effect whose transaction is rolled back is not marked as done', async (context) => {
  let isBroken = true
  const { db, jobs, countsOf } = await withRun(context, ['ann'], {
    begin: () => async (_item, mark) => {
      await db.transaction().execute(async (transaction) => {
        await transaction.insertInto('settings').values({ name: 'greeted', value: 'ann' }).execute()
        await mark(transaction)
        if (isBroken) {
          isBroken = false
          throw new Error('The process ended here')
        }
      })
    },
  })
  await jobs.idle()
  assert.deepEqual(await countsOf(), { done: 1, failed: 0, waiting: 0 })
})

test('an item that another process has completed meanwhile is rolled back', async (context) => {
  const { db, run, jobs } = await withRun(context, ['ann'], {
    begin: () => async (_item, mark) => {
      await db.updateTable('run_items').set({ state: 'done', output: 'theirs' }).execute()
      await db.transaction().execute(async (transaction) => {
        await transaction.insertInto('settings').values({ name: 'greeted', value: 'ann' }).execute()
        await mark(transaction, { output: 'ours' })
      })
    },
  })
  await jobs.idle()
  assert.deepEqual(
    (await listItems(db, run.id)).map(({ output }) => output),
    ['theirs'],
  )
  assert.deepEqual(await db.selectFrom('settings').select('value').where('name', '=', 'greeted').execute(), [])
})

test('a run that is stopped ends the item it is at and begins no other', async (context) => {
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const product = await withRun(context, names, {
    begin: () => async () => {
      begun.resolve()
      await goOn.promise
    },
  })
  const { run, jobs, statusOf, countsOf } = product
  await begun.promise
  await stopRun(product, run)
  assert.equal(await statusOf(), 'stopping')
  goOn.resolve()
  await jobs.idle()
  assert.equal(await statusOf(), 'stopped')
  assert.deepEqual(await countsOf(), { done: 1, failed: 0, waiting: 2 })
})

test('a run that is stopped before its turn is over at once', async (context) => {
  const product = await withRun(context, [], {})
  const waiting = await insertRun(product.db, { kind, ownerId: product.run.owner_id }, [{ input: 'ann' }])
  await stopRun(product, waiting)
  assert.equal((await findRun(product.db, waiting.id))?.status, 'stopped')
})

test('a run whose job ends its process each time is given up, and what it did not reach has failed', async (context) => {
  const { db, run, jobs, statusOf, countsOf } = await withRun(context, names, {
    begin:
      () =>
      async ({ input }) => {
        if (input === 'ann') return
        // As after three processes that have ended here.
        await db.updateTable('jobs').set({ attempts: 4 }).execute()
        throw new Error('Killed')
      },
  })
  await jobs.idle()
  assert.equal(await statusOf(), 'failed')
  const failed = (await findRun(db, run.id))!
  assert.deepEqual(await countsOf(), { done: 1, failed: 2, waiting: 0 })
  const errors = listErrors(failed, await listItems(db, run.id))
  assert.deepEqual(
    errors.map(({ input, error }) => [input, error]),
    [
      ['bob', 'The run was interrupted.'],
      ['cy', 'The run was interrupted.'],
    ],
  )
})

test('a reason that every item would meet ends the run, and the items that wait have failed for it', async (context) => {
  const tried: string[] = []
  const { db, run, jobs, statusOf, countsOf } = await withRun(context, names, {
    begin:
      () =>
      async ({ input }) => {
        tried.push(input!)
        if (input === 'bob') throw new RunFailure(invalid('Greetings are over.'))
      },
  })
  await jobs.idle()
  assert.deepEqual([tried, await statusOf()], [['ann', 'bob'], 'failed'])
  assert.deepEqual(await countsOf(), { done: 1, failed: 2, waiting: 0 })
  const errors = listErrors((await findRun(db, run.id))!, await listItems(db, run.id))
  assert.deepEqual(
    errors.map(({ error }) => error),
    ['Greetings are over.', 'Greetings are over.'],
  )
})

test('an item that is to wait pauses its run, which goes on after the pause', async (context) => {
  const tried: string[] = []
  const { db, run, jobs, countsOf } = await withRun(context, names, {
    begin:
      (_run, { pauses }) =>
      async ({ input }) => {
        tried.push(`${input} ${pauses}`)
        if (input === 'bob' && pauses < 2) throw new NotNow('Bob is asleep.', () => 60_000)
      },
  })
  await jobs.idle()
  assert.deepEqual(await countsOf(), { done: 1, failed: 0, waiting: 2 })
  assert.equal((await describeProgress(db, (await findRun(db, run.id))!)).pause, 'Bob is asleep.')
  for (let round = 0; round < 2; round++) {
    await db.updateTable('jobs').set({ run_at: 0 }).execute()
    await jobs.idle()
  }
  assert.deepEqual(tried, ['ann 0', 'bob 0', 'bob 1', 'bob 2', 'cy 2'])
  assert.deepEqual(await countsOf(), { done: 3, failed: 0, waiting: 0 })
  assert.equal((await describeProgress(db, (await findRun(db, run.id))!)).pause, null)
})

test('a run that has ended goes on as another kind of work on what was found', async (context) => {
  const product = await withRun(context, names, {
    begin: () => (item, mark) => mark(product.db, { state: item.input === 'bob' ? 'rejected' : 'found' }),
  })
  const { db, run, jobs, statusOf, countsOf } = product
  const farewells: (string | null)[] = []
  const farewell = { kind: 'farewell', runsAtOnce: 1, itemsAtOnce: 1, itemsPerJob: 1, takes: 'found' } as const
  workOnRuns(product, {
    ...farewell,
    begin: () => async (item) => void farewells.push(item.input),
    interrupted: async () => {},
  })
  await jobs.idle()
  assert.deepEqual(await countsOf(), { done: 0, failed: 0, waiting: 0 })
  await db.transaction().execute((transaction) => continueAs(transaction, jobs, run, 'farewell'))
  await jobs.idle()
  assert.deepEqual(farewells, ['ann', 'cy'])
  assert.deepEqual([await statusOf(), await countsOf()], ['ended', { done: 2, failed: 0, waiting: 0 }])
})

test('a run finds its items as it goes on, and ends when there are no more', async (context) => {
  const greeted: (string | null)[] = []
  const { jobs, statusOf, countsOf } = await withRun(context, [], {
    itemsPerJob: 1,
    findItems: async (_run, last) => names.slice(names.indexOf(last?.input ?? '') + 1, 2).map((input) => ({ input })),
    begin: () => async (item) => void greeted.push(item.input),
  })
  await jobs.idle()
  assert.deepEqual(greeted, ['ann', 'bob'])
  assert.deepEqual([await statusOf(), await countsOf()], ['ended', { done: 2, failed: 0, waiting: 0 }])
})

test('a run goes with the account of its owner', async (context) => {
  const { db, jobs } = await withRun(context, names, {})
  await jobs.idle()
  await db.deleteFrom('users').execute()
  for (const table of ['runs', 'run_items'] as const)
    assert.deepEqual(await db.selectFrom(table).selectAll().execute(), [], table)
})

test('old runs are removed with their items, and those under way stay', async (context) => {
  const { db, run, jobs } = await withRun(context, names, {})
  await jobs.idle()
  const waiting = await insertRun(db, { kind, ownerId: run.owner_id }, [{ input: 'ann' }])
  await removeOldRuns(db, { kinds: [kind], updatedBefore: Date.now() - 1000 })
  assert.equal((await db.selectFrom('runs').select('id').execute()).length, 2)
  await removeOldRuns(db, { kinds: [kind], updatedBefore: Date.now() + 1000 })
  assert.deepEqual(await db.selectFrom('runs').select('id').execute(), [{ id: waiting.id }])
  assert.equal((await db.selectFrom('run_items').selectAll().execute()).length, 1)
})

if (isOnPostgres) {
  test('old runs are removed while another transaction deletes some of their items', async (context) => {
    const { db, run, jobs } = await withRun(context, names, {})
    await jobs.idle()
    const remove = () => removeOldRuns(db, { kinds: [kind], updatedBefore: Date.now() + 1000 })
    await db.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('run_items').where('position', '=', 1).execute()
      await remove()
      await transaction.deleteFrom('run_items').where('position', '=', 0).execute()
    })
    await remove()
    assert.equal(await findRun(db, run.id), undefined)
  })
}
