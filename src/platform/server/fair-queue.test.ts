import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairQueue } from './fair-queue.ts'

const limits = { concurrency: 1, maxWaiting: 10, maxWaitingPerKey: 5, maxWaitMs: 60_000 }

/** Work that ends when the test says so, and records who started. */
function withWork(queue: ReturnType<typeof createFairQueue>) {
  const started: string[] = []
  const endings: (() => void)[] = []
  return {
    started,
    add: (key: string) =>
      queue.run(key, () => {
        started.push(key)
        return new Promise<void>((resolve) => endings.push(resolve))
      }),
    async endAll(count: number) {
      for (let ended = 0; ended < count; ended++) {
        while (endings.length === 0) await new Promise(setImmediate)
        endings.shift()!()
      }
    },
  }
}

test('callers take turns, so that one with much work does not delay another', async () => {
  const { started, add, endAll } = withWork(createFairQueue(limits))
  const all = [add('many'), add('many'), add('many'), add('many'), add('one'), add('other')]
  await endAll(all.length)
  await Promise.all(all)
  assert.deepEqual(started, ['many', 'many', 'one', 'other', 'many', 'many'])
})

test('work above a limit is refused at once with a time to try again', async () => {
  const { add, endAll } = withWork(createFairQueue(limits))
  const all = Array.from({ length: 6 }, () => add('many'))
  const refusal = { status: 503, details: { retryAfterSeconds: 5 } }
  await assert.rejects(add('many'), refusal)
  const others = ['b', 'c', 'd', 'e', 'f'].map(add)
  await assert.rejects(add('g'), refusal)
  await endAll(all.length + others.length)
  await Promise.all([...all, ...others])
})

test('work that waits too long is refused, and the others get its turn', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { started, add, endAll } = withWork(createFairQueue(limits))
  const first = add('first')
  const late = add('late')
  const refused = assert.rejects(late, { status: 503 })
  context.mock.timers.tick(60_000)
  await refused
  const next = add('next')
  await endAll(2)
  await Promise.all([first, next])
  assert.deepEqual(started, ['first', 'next'])
})
