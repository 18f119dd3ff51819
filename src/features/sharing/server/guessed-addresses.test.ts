import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestApp } from '#tests/support/test-app.ts'
import { addressesOf, withSharedCollection } from './sharing.fixture.ts'

const guesser = '203.0.113.1'

/** As if the address had missed this often. */
async function miss({ services }: TestApp, count: number) {
  const limit = { name: `missed ${guesser}`, count, resets_at: Date.now() + 60_000 }
  await services.db.insertInto('attempts').values(limit).execute()
}

function from({ app }: Pick<TestApp, 'app'>, remoteAddress: string) {
  return (url: string, accept = 'text/html') => app.inject({ url, remoteAddress, headers: { accept } })
}

test('a visitor who guesses public addresses gets 429 after a hundred misses', async (context) => {
  const { product } = await withSharedCollection(context, { count: 1 })
  const ask = from(product, guesser)
  const statuses: number[] = []
  for (let index = 0; index < 102; index++) statuses.push((await ask(`/api/public/media/guess-${index}`)).statusCode)
  assert.deepEqual(statuses.slice(99), [404, 429, 429])
  const refused = await ask('/api/public/media/guess-again')
  assert.match(refused.json().message, /^Too many attempts\. Please try again in \d+ minutes\.$/)
  const seconds = Number(refused.headers['retry-after'])
  assert.ok(seconds > 540 && seconds <= 600, `${seconds} s`)
})

test('the limit of guesses covers every public address, in all processes', async (context) => {
  const { product } = await withSharedCollection(context, { count: 1 })
  await miss(product, 100)
  const addresses = [
    '/public/guess',
    '/public/collections/guess',
    '/public/collections/guess?embed=1',
    '/public/collections/guess/style.css',
    '/public/collections/guess/download',
    '/api/public/collections/guess',
    '/api/public/collections/guess/urls',
    '/api/public/collections/guess/images',
    '/api/public/collections/guess/data',
    '/api/public/media/guess',
    '/files/12345/0123456789ab/guess.jpg',
  ]
  for (const process of [product, await product.startSibling()]) {
    for (const url of addresses) {
      const answer = await from(process, guesser)(url)
      assert.equal(answer.statusCode, 429, url)
      assert.ok(answer.headers['retry-after'], url)
      assert.match(answer.body, /Too many attempts\. Please try again in/, url)
    }
  }
})

test('a visitor over the limit of guesses can open what exists, and other visitors are not limited', async (context) => {
  const { product, ...shared } = await withSharedCollection(context)
  await miss(product, 100)
  for (const url of addressesOf(shared)) assert.equal((await from(product, guesser)(url)).statusCode, 200, url)
  assert.equal((await from(product, '203.0.113.2')('/public/guess')).statusCode, 404)
})

test('a browser gets the limit of guesses as a page', async (context) => {
  const { product } = await withSharedCollection(context, { count: 1 })
  await miss(product, 100)
  const page = await from(product, guesser)('/public/guess')
  assert.match(String(page.headers['content-type']), /^text\/html/)
  assert.match(page.body, /<h1 class="pub-title">Too Many Attempts<\/h1>/)
})
