import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { RunProgress } from '../contract.ts'
import { followRun } from './follow-run.ts'

const event = (step: RunProgress['step']): RunProgress => ({
  step,
  message: '',
  current: 1,
  total: 2,
  results: { successCount: 1, errorCount: 0 },
  stoppedCount: 0,
  runId: 5,
})
const stream = (...steps: RunProgress['step'][]) =>
  new Response(steps.map((step) => `data: ${JSON.stringify(event(step))}\n\n`).join(''))
const gateway = (status: number) => new Response('<h1>Bad gateway</h1>', { status })

/** Follows a run, giving each request the next answer; the mocked clock advances while the follower waits. */
async function follow(context: TestContext, answers: (() => Response)[]) {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  const [heard, askedAt]: [string[], number[]] = [[], []]
  context.mock.method(globalThis, 'fetch', async () => {
    askedAt.push(Date.now())
    return answers[askedAt.length - 1]!()
  })
  let isOver = false
  const following = followRun(5, (progress) => heard.push(progress?.step ?? 'waiting'), new AbortController().signal)
  const ended = following.finally(() => {
    isOver = true
  })
  const passTime = async () => {
    while (!isOver) {
      for (let turns = 0; turns < 10; turns++) await turn()
      context.mock.timers.tick(1000)
    }
  }
  await Promise.all([ended, passTime()])
  return { heard, pauses: askedAt.slice(1).map((at, index) => at - askedAt[index]!) }
}

test('a run is followed through minutes of gateway errors, and shown as waiting meanwhile', async (context) => {
  const away = [502, 503, 504, 502, 503, 504, 502].map((status) => () => gateway(status))
  const { heard, pauses } = await follow(context, [
    ...away,
    () => stream('processing'),
    () => gateway(502),
    () => stream('complete'),
  ])
  assert.deepEqual(heard, [...away.map(() => 'waiting'), 'processing', 'waiting', 'complete'])
  assert.deepEqual(pauses, [2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 2000, 4000])
})

test('following ends when the server itself refuses the request', async (context) => {
  const refusal = '{"message":"Upload not found","code":"not-found"}'
  await assert.rejects(follow(context, [() => new Response(refusal, { status: 404 })]), { status: 404 })
})
