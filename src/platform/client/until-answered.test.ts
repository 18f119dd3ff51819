import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { ApiError } from './call.ts'
import { untilAnswered } from './until-answered.ts'

/** Each question gets the next answer, the last one again and again; the clock runs as fast as somebody waits. */
function asking(context: TestContext, answers: (Error | string)[], takesMs = (_asked: number) => 0) {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  let asked = 0
  let isOver = false
  const outcome = untilAnswered(async () => {
    const answer = answers[Math.min(asked++, answers.length - 1)]!
    const ms = takesMs(asked)
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
  return { outcome: Promise.all([outcome, passTime()]).then(([answer]) => answer), asked: () => asked }
}

test('a proxy that waits for a minute only, and a connection that breaks, are not the end', async (context) => {
  const lost = [new ApiError(504, '<h1>Gateway Time-out</h1>'), new TypeError('Failed to fetch'), 'converted']
  const { outcome, asked } = asking(context, lost)
  assert.equal(await outcome, 'converted')
  assert.equal(asked(), 3)
})

for (const refusal of [new ApiError(400, 'no'), new ApiError(507, '{"message":"The disk is full."}')])
  test(`what the server refuses with ${refusal.status} is told at once`, async (context) => {
    const { outcome, asked } = asking(context, [refusal])
    await assert.rejects(outcome, refusal)
    assert.equal(asked(), 1)
  })

test('a server that stays away is told of after a minute', async (context) => {
  const { outcome, asked } = asking(context, [new TypeError('Failed to fetch')])
  await assert.rejects(outcome, TypeError)
  assert.equal(asked(), 13)
  assert.ok(Date.now() >= 60_000, 'a minute of asking, not thirteen questions at once')
})

test('a server at work behind an impatient proxy is waited for, though the line breaks now and then', async (context) => {
  const impatient = Array.from({ length: 60 }, () => new ApiError(504, '<h1>Gateway Time-out</h1>'))
  const { outcome } = asking(context, [...impatient, 'converted'], (asked) => (asked % 10 === 0 ? 60_000 : 0))
  assert.equal(await outcome, 'converted')
})
