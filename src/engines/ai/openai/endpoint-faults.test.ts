import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AppError } from '#platform/errors.ts'
import { type AiErrorKind, aiErrorKind } from '../errors.ts'
import type { Pay } from '../provider.ts'
import { explainConnectionError } from './explain.ts'
import { openAiForTests } from './openai.fixture.ts'

const { provide, ask, endpoint, directory } = await openAiForTests()

const lost: [model: string, kind: AiErrorKind, sentence: RegExp][] = [
  ['refusing', 'refused', /refused to describe/],
  ['refusing-in-words', 'refused', /refused to describe/],
  ['filtered', 'refused', /refused to describe/],
  ['cut-off', 'invalid-output', /usable answer/],
  ['wrong-shape', 'invalid-output', /usable answer/],
  ['html', 'invalid-output', /Check AI_BASE_URL/],
  ['empty-answer', 'invalid-output', /Check AI_BASE_URL/],
  ['moved', 'invalid-output', /refused the request \(302\)/],
  ['fussy', 'invalid-output', /refused the request \(400\)/],
  ['busy-in-200', 'rate', /rate limited/],
  ['failing', 'server', /answered with an error \(503\)/],
  ['fault-in-200', 'server', /answered with an error/],
  ['fault-in-choice', 'server', /answered with an error/],
  ['without-backend', 'server', /answered with an error \(501\)/],
  ['wrong-key', 'auth', /Check AI_API_KEY/],
  ['no-credit', 'auth', /no credit/],
  ['blind', 'no-vision', /cannot see images/],
  ['blind-for-now', 'no-vision', /cannot see images/],
  ['blind-router', 'no-vision', /cannot see images/],
  ['gone-vision', 'model', /does not know the model/],
  ['elsewhere', 'model', /AI_BASE_URL, which usually ends with \/v1/],
  ['against-policy', 'refused', /refused to describe/],
  ['unsafe-picture', 'refused', /refused to describe/],
  ['flagged', 'refused', /refused to describe/],
  ['out-of-quota', 'auth', /no credit/],
  ['unknown-model', 'model', /does not know the model "unknown-model"/],
  ['too-long', 'too-large', /too large for the model/],
  ['huge', 'too-large', /more than 1 MB/],
]
for (const [model, kind, sentence] of lost) {
  test(`an endpoint that is "${model}" ends as the state "${kind}" with a sentence`, async () => {
    await assert.rejects(ask(model, {}, { apiKey: 'sk-secret' }), (error: Error) => {
      assert.equal(aiErrorKind(error), kind)
      assert.match(error.message, sentence)
      assert.doesNotMatch(error.message, /sk-secret|top_k/)
      return true
    })
  })
}

test('a request that fails permanently is not retried, regardless of its status', async () => {
  for (const model of ['blind-for-now', 'out-of-quota', 'fault-in-choice']) {
    const earlier = endpoint.asked(model).length
    await assert.rejects(ask(model))
    assert.equal(endpoint.asked(model).length - earlier, 1, model)
  }
})

test('an API key that an endpoint repeats in an error is removed', async () => {
  await assert.rejects(ask('telling-the-key', {}, { apiKey: 'sk-secret' }), (error: Error) => {
    assert.match(String(error.cause), /What is Bearer/)
    assert.doesNotMatch(String(error.cause), /sk-secret/)
    return true
  })
})

test('an endpoint that cannot be reached says what to look at', async () => {
  const withoutTls = endpoint.baseUrl.replace('http:', 'https:')
  await assert.rejects(ask('good', {}, { baseUrl: withoutTls }), { message: /may begin with http:/ })
  await assert.rejects(ask('good', {}, { baseUrl: 'http://127.0.0.1:1/v1' }), { message: /nothing listens/ })
  const { message } = explainConnectionError(Object.assign(new Error('x'), { code: 'ENOTFOUND' }))
  assert.equal(message, 'The AI endpoint could not be reached: the name in AI_BASE_URL is not known to this machine.')
  assert.match(explainConnectionError({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }).message, /NODE_EXTRA_CA_CERTS/)
  assert.match(explainConnectionError({ code: 'ECONNRESET' }).message, /Check AI_BASE_URL and the connection/)
})

test('the provider does not wait an hour for a busy endpoint; it passes the delay to the caller', async () => {
  const earlier = endpoint.asked('busy-for-an-hour').length
  await assert.rejects(ask('busy-for-an-hour'), (error: AppError) => {
    assert.equal(aiErrorKind(error), 'rate')
    assert.deepEqual(error.details, { isRetryable: true, retryAfterSeconds: 3600 })
    return true
  })
  assert.equal(endpoint.asked('busy-for-an-hour').length - earlier, 1)
})

for (const model of ['hanging', 'hanging-in-the-middle']) {
  test(`an endpoint that is ${model} is left after the set time`, async () => {
    await assert.rejects(ask(model, {}, { timeoutMs: 300 }), (error: AppError) => {
      assert.equal(aiErrorKind(error), 'timeout')
      assert.match(error.message, /no answer within 0\.3 s.*AI_TIMEOUT_SECONDS/)
      return true
    })
  })
}

test('the timeout of a request starts when it is sent, not while it waits in the queue', async (context) => {
  const clocks = context.mock.method(AbortSignal, 'timeout')
  const provider = provide('hanging')
  const abort = new AbortController()
  const earlier = endpoint.asked('hanging').length
  const asking = Array.from({ length: 5 }, () =>
    provider.suggestName({ fileName: 'IMG_1.jpg', signal: abort.signal }).catch((error: Error) => error.message),
  )
  while (endpoint.asked('hanging').length < earlier + 4) await endpoint.nextArrival()
  assert.equal(clocks.mock.callCount(), 4)
  abort.abort(new Error('no longer wanted'))
  assert.deepEqual(await Promise.all(asking), Array(5).fill('no longer wanted'))
})

test('an unreachable endpoint or broken connection is retried and reported; a request that arrived may be billed', async () => {
  for (const [model, options, mostBilled] of [
    ['good', { baseUrl: 'http://127.0.0.1:1/v1' }, 0],
    ['breaking-off', {}, 3],
  ] as const) {
    let billed = 0
    const pay: Pay = async (send) => {
      if (!(await send()).isFree) billed++
    }
    await assert.rejects(ask(model, { pay }, options), (error: AppError) => {
      assert.equal(aiErrorKind(error), 'network')
      assert.equal(error.details.isRetryable, true)
      return true
    })
    assert.equal(billed, mostBilled)
  }
})

test('an analysis can be aborted while the endpoint hangs', async () => {
  const abort = new AbortController()
  const arrival = endpoint.nextArrival()
  const analysis = ask('hanging', { signal: abort.signal })
  await arrival
  abort.abort(new Error('no longer wanted'))
  await assert.rejects(analysis, /no longer wanted/)
})

test('a hostile answer is cut, cleaned and harmless', async () => {
  const { title, description, tags, text } = await ask('hostile')
  assert.ok(title.length <= 80)
  assert.ok(description.length <= 2000)
  assert.ok(tags.length <= 30)
  for (const value of [title, description, text]) assert.doesNotMatch(value, /[\p{Cc}\p{Cf}]/u)
  const names = tags.map(({ name }) => name)
  for (const name of names) assert.match(name, /^[\p{L}\p{N} '-]{1,50}$/u)
  assert.equal(names.filter((name) => name === 'dog').length, 1)
  assert.ok(names.includes('beach'))
  assert.ok(!names.some((name) => name.includes('instructions')), 'a sentence is no tag')
})

test('a damaged picture is reported and never sent', async () => {
  const damaged = join(directory, 'damaged.jpg')
  await writeFile(damaged, 'not a picture')
  const earlier = endpoint.asked('good').length
  await assert.rejects(ask('good', { frames: [damaged] }), (error) => aiErrorKind(error) === 'unreadable')
  assert.equal(endpoint.asked('good').length, earlier)
})
