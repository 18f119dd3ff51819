import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import inject from 'light-my-request'
import pino from 'pino'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { type TestOptions, testApp } from '#tests/support/test-app.ts'
import { keepAnswers, keepNot, keepUntil } from './kept-answers.ts'

type Answer = (request: FastifyRequest, reply: FastifyReply, worked: number) => unknown

/** A product with one more call, whose answer counts how often it was worked out. */
async function withKept(
  context: TestContext,
  answer: Answer = (_request, _reply, worked) => ({ worked }),
  options: TestOptions = {},
) {
  let worked = 0
  const product = await testApp(
    context,
    {},
    {
      ...options,
      prepare: (app) =>
        void app.get('/api/kept', { config: { access: 'open', isKept: true } }, async (request, reply) =>
          answer(request, reply, ++worked),
        ),
    },
  )
  await product.settled()
  const visitor = product.visitor()
  const ask = (headers?: Record<string, string>) => visitor.get('/api/kept', headers)
  // What comes for the first time is not kept.
  await ask()
  worked = 0
  return {
    ...product,
    ask,
    timesWorked: () => worked,
    write: () =>
      product.services.db
        .insertInto('settings')
        .values({ name: `${Math.random()}`, value: '' })
        .execute(),
  }
}

onOneDatabase('while nothing is written, the same question is answered again', async (context) => {
  const { ask, write, services } = await withKept(context)
  const first = await ask()
  const again = await ask()
  assert.deepEqual([first.json(), again.json()], [{ worked: 1 }, { worked: 1 }])
  const { date: _date, ...said } = first.headers
  for (const [name, value] of Object.entries(said)) assert.equal(String(again.headers[name]), String(value), name)
  await write()
  assert.deepEqual((await ask()).json(), { worked: 2 })
  await services.db.transaction().execute(async (transaction) => {
    assert.deepEqual((await ask()).json(), { worked: 3 }, 'not in the middle of a change')
    await transaction.deleteFrom('settings').execute()
    assert.deepEqual((await ask()).json(), { worked: 4 })
  })
  assert.deepEqual((await ask()).json(), { worked: 5 }, 'nor is kept what was worked out in the middle of one')
})

onOneDatabase('what another program writes counts as well', async (context) => {
  const { ask, directory } = await withKept(context)
  const other = new DatabaseSync(join(directory, 'albumen.db'))
  await ask()
  other.exec(`INSERT INTO settings (name, value) VALUES ('other', '')`)
  other.close()
  assert.deepEqual((await ask()).json(), { worked: 2 })
})

onOneDatabase('an answer during which somebody writes is not kept', async (context) => {
  let befall: () => Promise<unknown> = async () => {}
  const { ask, write } = await withKept(context, async (_request, _reply, worked) => {
    await befall()
    return { worked }
  })
  befall = write
  await ask()
  befall = async () => {}
  assert.deepEqual((await ask()).json(), { worked: 2 })
  assert.deepEqual((await ask()).json(), { worked: 2 })
})

onOneDatabase('another person, packing or address is another question', async (context) => {
  const { visitor } = await withKept(context, ({ headers, host }, _reply, worked) => ({
    text: `${headers.cookie} ${host} `.repeat(200),
    worked,
  }))
  const other = visitor()
  other.cookies.set('albumen_session', 'another')
  const anybody = visitor()
  const questions = [
    () => anybody.get('/api/kept'),
    () => anybody.get('/api/kept?page=2'),
    () => anybody.get('/api/kept', { host: 'photos.example' }),
    () => anybody.get('/api/kept', { 'x-forwarded-host': 'photos.example' }),
    () => anybody.get('/api/kept', { 'x-forwarded-proto': 'https' }),
    () => other.get('/api/kept'),
    () => anybody.get('/api/kept', { 'accept-encoding': 'gzip' }),
  ]
  for (const ask of [...questions, ...questions]) await ask()
  const answers = await Promise.all(questions.map((ask) => ask()))
  assert.deepEqual(
    answers.map(({ headers }) => headers['content-encoding']),
    [...Array(6).fill(undefined), 'gzip'],
  )
  const plain = answers.slice(0, -1).map((answer) => answer.json().worked)
  assert.equal(new Set(plain).size, 6, 'each has an answer of its own')
  assert.deepEqual(
    await Promise.all(questions.slice(0, -1).map(async (ask) => (await ask()).json().worked)),
    plain,
    'which is kept',
  )
})

onOneDatabase('what comes for the first time is not kept', async (context) => {
  const { visitor, timesWorked } = await withKept(context)
  for (let asked = 1; asked <= 3; asked++) await visitor().get('/api/kept?once')
  assert.equal(timesWorked(), 2)
})

onOneDatabase('who has it already is told so, and only a GET of the whole is answered again', async (context) => {
  const { ask, visitor, timesWorked } = await withKept(context)
  const { etag, 'content-type': type } = (await ask()).headers
  assert.match(String(type), /json/)
  const known = await ask({ 'if-none-match': String(etag) })
  assert.deepEqual([known.statusCode, known.body, known.headers.etag], [304, '', etag])
  for (const name of ['content-type', 'content-length']) assert.equal(known.headers[name], undefined, name)
  assert.equal(known.headers['cache-control'], 'private, no-cache')
  assert.equal(timesWorked(), 1)
  assert.equal((await ask({ 'if-none-match': '"other"' })).statusCode, 200)
  assert.equal(timesWorked(), 2)
  await ask({ range: 'bytes=0-1' })
  await visitor().send({ method: 'HEAD', url: '/api/kept' })
  assert.equal(timesWorked(), 4)
})

onOneDatabase('no answer outlives its moment', async (context) => {
  const start = Date.now()
  const { ask } = await withKept(context, (request, _reply, worked) => {
    keepUntil(request, start + 1000)
    keepUntil(request, start + 2000)
    return { worked }
  })
  context.mock.timers.enable({ apis: ['Date'], now: start })
  await ask()
  context.mock.timers.tick(999)
  assert.deepEqual((await ask()).json(), { worked: 1 })
  context.mock.timers.tick(1)
  assert.deepEqual((await ask()).json(), { worked: 2 })
})

onOneDatabase('no answer is given again after a minute, whatever the clock says', async (context) => {
  const { ask } = await withKept(context)
  context.mock.timers.enable({ apis: ['setTimeout'] })
  await ask()
  context.mock.timers.tick(59_999)
  assert.deepEqual((await ask()).json(), { worked: 1 })
  context.mock.timers.tick(1)
  assert.deepEqual((await ask()).json(), { worked: 2 })
})

onOneDatabase('a browser that asks whether there is anything new is answered from memory too', async (context) => {
  const { visitor, timesWorked } = await withKept(context)
  const browser = visitor()
  const address = '/api/kept?looked'
  const known = { 'if-none-match': String((await browser.get(address)).headers.etag) }
  // The counter makes each answer another one; one that says the same is a 304 at Fastify too.
  const { etag } = (await browser.get(address, known)).headers
  assert.equal(timesWorked(), 2)
  for (let asked = 0; asked < 3; asked++) {
    const again = await browser.get(address, { 'if-none-match': String(etag) })
    assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, '', etag])
  }
  assert.equal(timesWorked(), 2)
})

onOneDatabase('where all who asked had it already, who has not gets the whole', async (context) => {
  const { visitor, timesWorked } = await withKept(context, () => ({ same: true }))
  const browser = visitor()
  const address = '/api/kept?looked'
  const { etag } = (await browser.get(address)).headers
  const known = { 'if-none-match': String(etag) }
  for (let asked = 0; asked < 3; asked++) assert.equal((await browser.get(address, known)).statusCode, 304)
  assert.equal(timesWorked(), 2)
  assert.equal((await browser.get(address, { 'if-none-match': '"other"' })).statusCode, 200)
  assert.deepEqual((await browser.get(address)).json(), { same: true })
  assert.equal(timesWorked(), 3, 'the first of them was kept')
})

onOneDatabase('who says under which address they came is part of the question', async (context) => {
  const { app } = await withKept(context)
  const ask = async (remoteAddress: string) => {
    const answer = await inject((request, response) => void app.server.emit('request', request, response), {
      url: '/api/kept',
      remoteAddress,
      headers: { 'x-forwarded-proto': 'https' },
    })
    return answer.json().worked
  }
  for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.1', '10.0.0.2']) await ask(address)
  assert.deepEqual([await ask('10.0.0.1'), await ask('10.0.0.2')], [3, 4])
})

onOneDatabase('a database that cannot say whether anything was written ends nothing', async () => {
  const app = Fastify()
  let worked = 0
  let isAway = false
  const readVersion = () => {
    if (isAway) throw new Error('disk I/O error')
    return '1'
  }
  keepAnswers(app, { readVersion, log: app.log })
  app.get('/api/kept', { config: { isKept: true } }, () => `${++worked}`)
  await app.ready()
  const ask = () => inject((request, response) => void app.server.emit('request', request, response), '/api/kept')
  for (const expected of ['1', '2', '2']) {
    assert.equal((await ask()).body, expected)
  }
  isAway = true
  assert.equal((await ask()).body, '3')
  isAway = false
  assert.equal((await ask()).body, '2')
})

onOneDatabase('nobody fills the memory with questions that are not answered, or long', async (context) => {
  const { visitor, timesWorked } = await withKept(context)
  const talkative = visitor()
  talkative.cookies.set('name', 'x'.repeat(3000))
  for (let asked = 1; asked <= 3; asked++) {
    await talkative.get('/api/kept')
    assert.equal(timesWorked(), asked)
  }
})

const notRepeated: Record<string, Answer> = {
  'what sets a cookie': (_request, reply) => reply.setCookie('name', 'value').send('{}'),
  'a failure': (_request, reply) => reply.code(404).send('{}'),
  'a stream': (_request, reply) => reply.send(Readable.from(['{}'])),
  'more than a megabyte': () => 'x'.repeat(1024 * 1024 + 1),
  'what says that it may not be': (request) => ({ kept: keepNot(request) }),
}
for (const [what, answer] of Object.entries(notRepeated)) {
  onOneDatabase(`${what} is worked out each time`, async (context) => {
    const { ask, timesWorked } = await withKept(context, answer)
    for (let asked = 0; asked < 3; asked++) await ask()
    assert.equal(timesWorked(), 3)
  })
}

onOneDatabase('each answer has its line in the log', async (context) => {
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const { ask } = await withKept(context, undefined, { log })
  lines.length = 0
  await ask()
  await ask()
  const answered = lines.filter(({ path }) => path === '/api/kept')
  assert.deepEqual(
    answered.map(({ method, status, msg }) => [method, status, msg]),
    Array(2).fill(['GET', 200, 'request answered']),
  )
  assert.equal(new Set(answered.map(({ reqId }) => reqId)).size, 2)
})
