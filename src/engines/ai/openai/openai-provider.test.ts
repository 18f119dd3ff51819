import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import sharp from 'sharp'
import type { AppError } from '#platform/errors.ts'
import { type AiErrorKind, aiErrorKind } from '../errors.ts'
import type { AiAnalysis, AiInput, AiProvider, Pay } from '../provider.ts'
import { goodAnswer, startMisbehavingEndpoint } from '../testing/misbehaving-endpoint.ts'
import { createOpenAiProvider, type OpenAiOptions } from './openai-provider.ts'

let directory: string
let picture: string
let endpoint: Awaited<ReturnType<typeof startMisbehavingEndpoint>>
const providers: AiProvider[] = []

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'openai-provider-'))
  picture = join(directory, 'picture.jpg')
  await sharp({ create: { width: 2000, height: 1000, channels: 3, background: '#c86414' } })
    .withExif({ IFD0: { Copyright: 'secret owner' }, IFD3: { GPSLatitude: '46/1 0/1 0/1' } })
    .jpeg()
    .toFile(picture)
  endpoint = await startMisbehavingEndpoint()
})

after(async () => {
  await Promise.all(providers.map((provider) => provider.close()))
  await endpoint.close()
  await rm(directory, { recursive: true, force: true })
})

function provide(model: string, options: Partial<OpenAiOptions> = {}): AiProvider {
  const provider = createOpenAiProvider({
    baseUrl: endpoint.baseUrl,
    model,
    timeoutMs: 20_000,
    retryDelayMs: 1,
    ...options,
  })
  providers.push(provider)
  return provider
}

const ask = (model: string, input: Partial<AiInput> = {}, options: Partial<OpenAiOptions> = {}) =>
  provide(model, options).analyse({ frames: [picture], ...input })

const hints: AiAnalysis = {
  title: 'Cat',
  description: 'Photo: a cat.',
  tags: [{ name: 'cat', score: 0.9, source: 'detector', count: 2 }],
  text: 'FOR SALE',
  embedding: Uint8Array.of(1, 2, 3),
  provider: 'local',
  model: 'm',
  version: '1',
}

test('an answer becomes an analysis that says who made it and what it cost', async () => {
  const analysis = await ask('good', {}, { apiKey: 'key-1' })
  assert.deepEqual(analysis, {
    title: goodAnswer.title,
    description: goodAnswer.description,
    tags: [
      { name: 'cat', score: 0.9, source: 'model' },
      { name: 'animal', score: 0.9, source: 'model' },
    ],
    text: '',
    embedding: null,
    provider: 'openai',
    model: 'good',
    version: '1',
    usage: { promptTokens: 100, completionTokens: 20 },
  })
  assert.equal(endpoint.asked('good')[0]?.authorization, 'Bearer key-1')
})

test('what leaves the house is a JPEG of 1,024 pixels without metadata', async () => {
  await ask('good')
  const sent = endpoint.asked('good').at(-1)!.pictures[0]!
  const { format, width, height, exif, icc } = await sharp(sent).metadata()
  assert.deepEqual(
    { format, width, height, exif, icc },
    { format: 'jpeg', width: 1024, height: 512, exif: undefined, icc: undefined },
  )
  assert.ok(!sent.includes('secret owner'))
})

test('local findings, facts and the library’s tags go in; text and embedding stay when the model gives none', async () => {
  const analysis = await ask('good', { hints, facts: { place: 'Porto' }, vocabulary: ['kitten', 'Animals'] })
  const { prompt, system } = endpoint.asked('good').at(-1)!
  for (const known of ['2 × cat', 'FOR SALE', 'Porto', 'kitten']) assert.ok(prompt.includes(known), known)
  assert.match(system, /never instructions/)
  assert.equal(analysis.text, 'FOR SALE')
  assert.deepEqual(analysis.embedding, hints.embedding)
  assert.deepEqual(
    analysis.tags.map(({ name }) => name),
    ['cat', 'animals'],
  )
})

test('a video is sent as a few frames spread over its length', async () => {
  await ask('good', { frames: Array(12).fill(picture) })
  assert.equal(endpoint.asked('good').at(-1)!.pictures.length, 6)
})

const mendable = [
  'fenced',
  'chatty',
  'thinking',
  'thinking-without-start',
  'trailing-comma',
  'parts',
  'tags-as-text',
  'wrong-shape-once',
  'no-schema',
  'no-format',
  'no-such-thing',
  'new-parameters',
  'busy-once',
  'failing-twice',
  'failing-twice-in-200',
  'cut-off-once',
]
for (const model of mendable) {
  test(`an endpoint that is "${model}" still gives an analysis`, async () => {
    const analysis = await ask(model)
    assert.equal(analysis.description, goodAnswer.description)
    assert.deepEqual(
      analysis.tags.map(({ name }) => name),
      ['cat', 'animal'],
    )
  })
}

test('what an endpoint does not understand is asked only once', async () => {
  const provider = provide('no-schema')
  const earlier = endpoint.asked('no-schema').length
  await provider.analyse({ frames: [picture] })
  await provider.analyse({ frames: [picture] })
  const formats = endpoint.asked('no-schema').slice(earlier)
  assert.deepEqual(
    formats.map(({ format }) => format),
    ['json_schema', 'json_object', 'json_object'],
  )
})

for (const model of ['no-schema', 'no-format', 'new-parameters']) {
  test(`questions at the same moment to an endpoint that is "${model}" are all answered`, async () => {
    const provider = provide(`${model} for four`)
    const analyses = await Promise.all(Array.from({ length: 4 }, () => provider.analyse({ frames: [picture] })))
    assert.deepEqual(
      analyses.map(({ title }) => title),
      Array(4).fill(goodAnswer.title),
    )
    if (model === 'no-schema')
      assert.equal(endpoint.asked('no-schema for four').at(-1)?.format, 'json_object', 'no step too many')
  })
}

const lost: [model: string, kind: AiErrorKind, sentence: RegExp][] = [
  ['refusing', 'refused', /refused to describe/],
  ['refusing-in-words', 'refused', /refused to describe/],
  ['filtered', 'refused', /refused to describe/],
  ['cut-off', 'invalid-output', /usable answer/],
  ['wrong-shape', 'invalid-output', /usable answer/],
  ['html', 'invalid-output', /Check AI_BASE_URL/],
  ['empty-answer', 'invalid-output', /Check AI_BASE_URL/],
  ['moved', 'invalid-output', /refused the request \(302/],
  ['busy-in-200', 'rate', /asks for a pause/],
  ['failing', 'server', /answered with an error \(503\)/],
  ['without-backend', 'server', /answered with an error \(501\)/],
  ['wrong-key', 'auth', /Check AI_API_KEY/],
  ['no-credit', 'auth', /no credit/],
  ['blind', 'no-vision', /cannot see pictures/],
  ['unknown-model', 'model', /does not know the model “unknown-model”/],
  ['too-long', 'too-large', /too large for the model/],
  ['huge', 'too-large', /more than 1 MB/],
]
for (const [model, kind, sentence] of lost) {
  test(`an endpoint that is "${model}" ends as the state "${kind}" with a sentence`, async () => {
    await assert.rejects(ask(model, {}, { apiKey: 'sk-secret' }), (error: Error) => {
      assert.equal(aiErrorKind(error), kind)
      assert.match(error.message, sentence)
      assert.doesNotMatch(error.message, /sk-secret/)
      return true
    })
  })
}

test('an endpoint that is busy for an hour is not waited for; the pause is handed on', async () => {
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
      assert.match(error.message, /no answer within 0\.3 s/)
      return true
    })
  })
}

test('the set time of a question begins when it is sent, not while others keep it waiting', async (context) => {
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

test('an endpoint that is not there or breaks off is told as such, after trying again; what it heard it may bill', async () => {
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

test('a damaged picture is told as such and never sent', async () => {
  const damaged = join(directory, 'damaged.jpg')
  await writeFile(damaged, 'not a picture')
  const earlier = endpoint.asked('good').length
  await assert.rejects(ask('good', { frames: [damaged] }), (error) => aiErrorKind(error) === 'unreadable')
  assert.equal(endpoint.asked('good').length, earlier)
})

test('the health check gives a clear verdict', async () => {
  assert.deepEqual(await provide('seeing').health(), { ok: true, message: '“seeing” answers and sees pictures.' })
  const verdicts: [string, RegExp][] = [
    ['wrong-key', /Check AI_API_KEY/],
    ['unknown-model', /Check AI_MODEL/],
    ['blind', /cannot see pictures/],
    ['guessing', /did not see the test picture/],
    ['busy-for-an-hour', /asks for a pause/],
    ['html', /Check AI_BASE_URL/],
  ]
  for (const [model, sentence] of verdicts) {
    const { ok, message } = await provide(model).health()
    assert.equal(ok, false)
    assert.match(message, sentence)
  }
  assert.match((await provide('hanging', { timeoutMs: 200 }).health()).message, /no answer within 0\.2 s/)
})

test('the health check’s picture is a real red square', async () => {
  const sent = endpoint.asked('seeing').at(-1)!.pictures[0]!
  const { format, width, height } = await sharp(sent).metadata()
  assert.deepEqual({ format, width, height }, { format: 'png', width: 96, height: 96 })
  const { channels } = await sharp(sent).stats()
  assert.deepEqual(
    channels.map(({ mean }) => mean),
    [220, 20, 20],
  )
})

test('a model names a picture when nobody has, with the company in front and no extension', async () => {
  const name = await provide('naming').suggestName({ company: 'Acme', fileName: 'IMG_2041.jpg', tags: ['shoe'] })
  assert.equal(name, 'Acme red running shoe')
})

test('a name that a person wrote is kept without asking; a model that does not answer is told', async () => {
  const earlier = endpoint.asked('failing').length
  const provider = provide('failing')
  assert.equal(await provider.suggestName({ alt: 'Harbour of Porto at dusk' }), 'Harbour of Porto at dusk')
  assert.equal(endpoint.asked('failing').length, earlier)
  await assert.rejects(provider.suggestName({ fileName: 'IMG_1.jpg', tags: ['cat'] }), { code: 'ai-server' })
})

test('only an endpoint outside the house can cost money', () => {
  const isPaid = (baseUrl: string) => provide('good', { baseUrl }).capabilities.paid
  for (const home of [
    'http://127.0.0.1:11434/v1',
    'http://ollama:11434/v1',
    'http://192.168.1.5/v1',
    'http://nas.local',
  ]) {
    assert.equal(isPaid(home), false, home)
  }
  for (const away of ['https://api.example.com/v1', 'http://10.example.org', 'http://8.8.8.8/v1']) {
    assert.equal(isPaid(away), true, away)
  }
})
