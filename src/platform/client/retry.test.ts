import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { ApiError } from './call.ts'
import { retryUntilAnswered } from './retry.ts'

/** Each request gets the next answer, and the last one repeatedly; the mocked clock advances while the caller waits. */
function startRetrying(context: TestContext, answers: (Error | string)[], takesMs = (_requests: number) => 0) {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  let requests = 0
  let isOver = false
  const outcome = retryUntilAnswered(async () => {
    const answer = answers[Math.min(requests++, answers.length - 1)]!
    const ms = takesMs(requests)
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
    if (answer instanceof Error) throw answer
    return answer
  }).finally(() => {
    isOver = true
  })
  const passTime = async () => {
    while (!isOver) {
      context.mock.timers.tick(1000)
      await turn()
    }
  }
  return { outcome: Promise.all([outcome, passTime()]).then(([answer]) => answer), requests: () => requests }
}

test('a gateway’s timeout and a broken connection are retried', async (context) => {
  const lost = [new ApiError(504, '<h1>Gateway Time-out</h1>'), new TypeError('Failed to fetch'), 'converted']
  const { outcome, requests } = startRetrying(context, lost)
  assert.equal(await outcome, 'converted')
  assert.equal(requests(), 3)
})

for (const refusal of [new ApiError(400, 'no'), new ApiError(507, '{"message":"The disk is full."}')])
  test(`the server’s own ${refusal.status} is not retried`, async (context) => {
    const { outcome, requests } = startRetrying(context, [refusal])
    await assert.rejects(outcome, refusal)
    assert.equal(requests(), 1)
  })

test('a server that stays unreachable is reported after a minute', async (context) => {
  const { outcome, requests } = startRetrying(context, [new TypeError('Failed to fetch')])
  await assert.rejects(outcome, TypeError)
  assert.equal(requests(), 13)
  assert.ok(Date.now() >= 60_000, 'thirteen requests over a minute, not at once')
})

test('a long run behind a gateway with a short timeout is waited for, even if connections break now and then', async (context) => {
  const timeouts = Array.from({ length: 60 }, () => new ApiError(504, '<h1>Gateway Time-out</h1>'))
  const { outcome } = startRetrying(context, [...timeouts, 'converted'], (requests) =>
    requests % 10 === 0 ? 60_000 : 0,
  )
  assert.equal(await outcome, 'converted')
})
