import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { modelsForTests } from '#engines/ai/testing/models-for-tests.ts'
import { multipart } from '#tests/support/multipart.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { sketchExample } from '../analysis.fixture.ts'
import { asInt8, makeSketch } from './sketch.ts'

/** Stores what an analysis of the item would have found. */
async function embed({ services: { db } }: TestApp, user: TestUser, id: number, vector: Buffer) {
  const { blob } = await db.selectFrom('media').select('blob').where('id', '=', id).executeTakeFirstOrThrow()
  const bits = Buffer.from(makeSketch(asInt8(vector)))
  await db.insertInto('embeddings').values({ sha256: blob, vector }).execute()
  await db.insertInto('sketches').values({ kind: 'picture', media_id: id, owner_id: user.id, bits }).execute()
  return bits.toString('base64url')
}

/** One number everywhere, and another in the given share of the places. */
const vectorOf = (share: number) =>
  Buffer.from(Int8Array.from({ length: 1280 }, (_, at) => (at < 1280 * share ? 0 : 9)))

test('items similar to an item or an example are listed, most similar first, and none of another user', async (context) => {
  const product = await testApp(context)
  const [ann, bob] = [await product.register(), await product.register()]
  const [first, near, nearest, far, bobs] = [
    await ann.addPicture('first.jpg'),
    await ann.addPicture('near.jpg', await makeJpeg({ width: 65 })),
    await ann.addPicture('nearest.jpg', await makeJpeg({ width: 66 })),
    await ann.addPicture('far.jpg', await makeJpeg({ width: 67 })),
    await bob.addPicture('bobs.jpg', await makeJpeg({ width: 68 })),
  ]
  const example = await embed(product, ann, first.id, vectorOf(0))
  await embed(product, ann, near.id, vectorOf(0.4))
  await embed(product, ann, nearest.id, vectorOf(0.1))
  await embed(product, ann, far.id, vectorOf(0.95))
  await embed(product, bob, bobs.id, vectorOf(0))
  const list = async (user: TestUser, query: string) => {
    const { media, pagination } = (await user.get(`/api/media?${query}`)).json()
    assert.equal(pagination.totalCount, media.length)
    return media.map(({ filename }: { filename: string }) => filename)
  }
  assert.deepEqual(await list(ann, `similarToId=${first.id}`), ['nearest.jpg', 'near.jpg'])
  assert.deepEqual(await list(ann, `similarToId=${first.id}&limit=1`), ['nearest.jpg'])
  assert.deepEqual(await list(ann, `similarToId=${first.id}&favorite=true`), [])
  assert.deepEqual(await list(ann, `example=${example}`), ['first.jpg', 'nearest.jpg', 'near.jpg'])
  assert.deepEqual(await list(bob, `example=${example}`), ['bobs.jpg'])
  assert.equal((await bob.get(`/api/media?similarToId=${first.id}`)).statusCode, 404)
  for (const wrong of ['x', `${example}=`, example.slice(1), example.replace(/./, '.')]) {
    const answer = await ann.get(`/api/media?example=${wrong}`)
    assert.deepEqual([answer.statusCode, answer.json().field], [400, 'example'], wrong)
  }
  await ann.post('/api/media/bulk-trash', { mediaIds: [nearest.id] })
  assert.deepEqual(await list(ann, `similarToId=${first.id}`), ['near.jpg'])
})

test('an item with the same bytes as the example’s nearest is listed with it', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const bytes = await makeJpeg({ width: 65 })
  const first = await ann.addPicture('first.jpg', bytes)
  await ann.addPicture('again.jpg', bytes)
  const example = await embed(product, ann, first.id, vectorOf(0))
  const { media } = (await ann.get(`/api/media?example=${example}`)).json()
  assert.deepEqual(media.map(({ filename }: { filename: string }) => filename).sort(), ['again.jpg', 'first.jpg'])
})

test('without the built-in AI, a search by picture says what is missing', async (context) => {
  const { register } = await testApp(context)
  const answer = await sketchExample(await register(), await makeJpeg())
  assert.equal(answer.statusCode, 503)
  assert.equal(answer.json().message, 'Search by picture needs the built-in AI, which is switched off (AI_LOCAL=0).')
})

onOneDatabase('a picture to search with is checked, limited and not stored', async (context) => {
  const product = await testApp(context, { AI_LOCAL: '1', AI_MODELS_DIR: await modelsForTests() })
  await product.services.ai.modelsSettled()
  const ann = await product.register()
  const picture = await makeJpeg()
  const refusals: [answer: Promise<Awaited<ReturnType<typeof sketchExample>>>, status: number, message: RegExp][] = [
    [sketchExample(ann, Buffer.from('hello')), 415, /not a JPEG, PNG, GIF or WebP image/],
    [sketchExample(ann, picture.subarray(0, picture.length / 2)), 415, /damaged or incomplete/],
    [sketchExample(ann, Buffer.alloc(25 * 1024 * 1024 + 1)), 413, /up to 25 MB/],
    [sketchExample(ann, picture, 'file'), 400, /choose a picture/],
    [ann.post('/api/media/example', {}), 400, /choose a picture/],
    [
      ann.send({ method: 'POST', url: '/api/media/example', ...multipart([], { picture: 'text' }, 'picture') }),
      400,
      /malformed/,
    ],
  ]
  for (const [answering, status, message] of refusals) {
    const answer = await answering
    assert.equal(answer.statusCode, status, answer.body)
    assert.match(answer.json().message, message)
  }
  const listFiles = async () =>
    (await readdir(product.directory, { recursive: true })).filter((name) => !/-(wal|shm)$/.test(name))
  const before = await listFiles()
  const { example } = (await sketchExample(ann, picture)).json()
  assert.deepEqual((await ann.get(`/api/media?example=${example}`)).json().media, [])
  assert.deepEqual(await listFiles(), before, 'neither the picture nor a temporary file is left')
  const { db } = product.services
  await db.updateTable('attempts').set({ count: 60 }).where('name', '=', `example:${ann.id}`).execute()
  assert.equal((await sketchExample(ann, picture)).statusCode, 429)
})
