import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { writePngBomb } from '#engines/images/pictures.fixture.ts'
import { unavailable } from '#platform/errors.ts'
import { withPublicPicture } from './delivery.fixture.ts'

/** More pixels than an encoder takes. */
async function withHugePicture(context: TestContext) {
  const delivered = await withPublicPicture(context, { name: 'huge.png', bytes: writePngBomb(8000, 6400) })
  const render = context.mock.method(delivered.product.services.images, 'render')
  return { ...delivered, render, timesMade: () => render.mock.callCount() }
}

test('a size that failed is refused with the same sentence, without another attempt', async (context) => {
  const { address, visitor, timesMade } = await withHugePicture(context)
  const first = await visitor.get(`${address}.webp`)
  assert.deepEqual([first.statusCode, first.json().code], [413, 'too-many-pixels'])
  assert.match(first.json().message, /this one has 52/)
  const later = await Promise.all(Array.from({ length: 5 }, () => visitor.get(`${address}.webp`)))
  for (const { statusCode, json } of later) assert.deepEqual([statusCode, json().message], [413, first.json().message])
  assert.equal(timesMade(), 1)
})

test('a size that failed leaves the other sizes of its picture alone', async (context) => {
  const { address, visitor } = await withHugePicture(context)
  assert.equal((await visitor.get(`${address}.webp`)).statusCode, 413)
  assert.equal((await visitor.get(`${address}.webp?w=320`)).statusCode, 200)
})

test('a size that failed is tried again after ten minutes', async (context) => {
  const { address, visitor, timesMade } = await withHugePicture(context)
  await visitor.get(`${address}.webp`)
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 10 * 60_000 + 1 })
  assert.equal((await visitor.get(`${address}.webp`)).statusCode, 413)
  assert.equal(timesMade(), 2)
})

test('a size that failed is made once the file is replaced', async (context) => {
  const { address, visitor, ann, id } = await withHugePicture(context)
  assert.equal((await visitor.get(`${address}.webp`)).statusCode, 413)
  assert.equal((await ann.replace(id, 'small.png', writePngBomb(80, 64))).statusCode, 200)
  assert.equal((await visitor.get(`${address}.webp`)).statusCode, 200)
})

test('a size that only the moment refused is tried again at once', async (context) => {
  const { address, visitor, render } = await withHugePicture(context)
  render.mock.mockImplementationOnce(async () => {
    throw unavailable('The server has too little memory for this image right now.')
  })
  assert.equal((await visitor.get(`${address}.webp?w=320`)).statusCode, 503)
  assert.equal((await visitor.get(`${address}.webp?w=320`)).statusCode, 200)
})
