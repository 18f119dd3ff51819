import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeJpeg } from '#tests/support/pictures.ts'
import { testApp } from '#tests/support/test-app.ts'
import { pathOf, withPublicPicture } from './delivery.fixture.ts'

const badQueries: [query: string, status: number, message: RegExp][] = [
  ['?p=unknown', 404, /^Preset not found$/],
  ['?w=0', 400, /^w: must be between 1 and 8,192$/],
  ['?w=99999', 400, /^w: must be between/],
  ['?h=-5', 400, /^h: must be between/],
  ['?w=12.5', 400, /^w: must be between/],
  ['?w=wide', 400, /^w: must be between/],
  ['?w=320&w=640', 400, /^w: must be between/],
  ['?q=29', 400, /^q: must be between 30 and 95$/],
  ['?q=96', 400, /^q: must be between 30 and 95$/],
  ['?fit=stretch', 400, /^fit: must be contain or cover$/],
  ['?format=tiff', 400, /^format: must be auto/],
  ['?p=thumb&w=320', 400, /^A preset has a size of its own/],
  ['.png?format=auto', 400, /^Use either an extension or format=auto\.$/],
  ['.mp4', 400, /^An image can be delivered as \.webp/],
  ['.tiff', 400, /^An image can be delivered as \.webp/],
  ['.webp.png', 400, /^An image can be delivered as \.webp/],
  ['?w=333', 403, /^This size needs a signed address/],
]

for (const [query, status, message] of badQueries) {
  test(`the file address ${query} is refused with a sentence`, async (context) => {
    const { address, visitor, ann } = await withPublicPicture(context)
    const before = (await ann.get('/api/presets')).body
    const answer = await visitor.get(address + query)
    assert.equal(answer.statusCode, status, answer.body)
    assert.match(answer.json().message, message)
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.equal(answer.headers['access-control-allow-origin'], '*', 'a website can read what is wrong')
    assert.equal((await ann.get('/api/presets')).body, before)
  })
}

test('an address of nothing is 404, and guessing is limited', async (context) => {
  const product = await testApp(context)
  const visitor = product.visitor()
  for (const name of ['nothing', 'nothing.webp', '%00', '.webp', 'a'.repeat(150)]) {
    const { statusCode } = await visitor.get(`/i/${name}`)
    assert.ok(statusCode === 404 || statusCode === 400, `${name}: ${statusCode}`)
  }
  const statuses = await Promise.all(
    Array.from({ length: 120 }, async (_, index) => (await visitor.get(`/i/guess-${index}`)).statusCode),
  )
  assert.ok(statuses.includes(429))
})

test('of 200 different sizes at once each is answered or asked to come again, and others are not delayed', async (context) => {
  const { addressesOf, visitor, ann } = await withPublicPicture(context, {
    settings: { TRUST_PROXY: 'loopback' },
    bytes: await makeJpeg({ width: 400, height: 300 }),
  })
  const files = Array.from({ length: 200 }, (_, index) => ({ format: 'webp' as const, width: 100 + index }))
  const signed = (await Promise.all([0, 40, 80, 120, 160].map((at) => addressesOf(files.slice(at, at + 40))))).flat()
  const flood = signed.map((each) => visitor.get(pathOf(each), { 'x-forwarded-for': '203.0.113.9' }))
  let answered = 0
  for (const answer of flood) answer.then(() => answered++)
  const other = await ann.addPicture()
  const { publicUrlSlug } = (await ann.post(`/api/media/${other.id}/public`)).json()
  const own = await visitor.get(`/i/${publicUrlSlug}.webp?w=320`, { 'x-forwarded-for': '203.0.113.10' })
  assert.equal(own.statusCode, 200)
  const answeredBefore = answered
  const answers = await Promise.all(flood)
  const refused = answers.filter(({ statusCode }) => statusCode === 503)
  assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length + refused.length, 200)
  assert.ok(refused.length > 0 && refused.length < 200)
  for (const { headers } of refused) assert.equal(headers['retry-after'], '5')
  assert.ok(answeredBefore < 200, 'another visitor was served in between')
})

test('a picture that many visitors ask for at once is made once', async (context) => {
  const { address, visitor, product } = await withPublicPicture(context)
  const write = context.mock.method(product.services.storage.derived, 'write')
  const answers = await Promise.all(Array.from({ length: 20 }, () => visitor.get(`${address}.webp?w=640`)))
  assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [200])
  assert.equal(write.mock.callCount(), 1)
})
