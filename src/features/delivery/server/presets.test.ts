import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { makeBackup, restore } from '#features/backups/server/backups.fixture.ts'
import { testApp } from '#tests/support/test-app.ts'
import { pathOf, withPublicPicture } from './delivery.fixture.ts'

test('every user has five presets from the start', async (context) => {
  const ann = await (await testApp(context)).register()
  const presets: { name: string; width: number; height: number | null; fit: string }[] = (
    await ann.get('/api/presets')
  ).json()
  assert.deepEqual(
    presets.map(({ name, width, height, fit }) => [name, width, height, fit]),
    [
      ['thumb', 400, 400, 'cover'],
      ['card', 800, 600, 'cover'],
      ['hero', 1920, null, 'contain'],
      ['share', 1200, 630, 'cover'],
      ['square', 1080, 1080, 'cover'],
    ],
  )
})

test('a changed preset changes what its address answers', async (context) => {
  const { ann, visitor, address } = await withPublicPicture(context)
  const ask = async () => {
    const answer = await visitor.get(`${address}.png?p=card`)
    const { width, height } = await sharp(answer.rawPayload).metadata()
    return { etag: answer.headers.etag, size: [width, height] }
  }
  const before = await ask()
  assert.deepEqual(before.size, [800, 600])
  const changed = await ann.patch('/api/presets/card', { width: 300, height: 300, quality: 60 })
  assert.deepEqual(changed.json(), {
    name: 'card',
    width: 300,
    height: 300,
    fit: 'cover',
    format: 'auto',
    quality: 60,
  })
  const after = await ask()
  assert.deepEqual(after.size, [300, 300])
  assert.notEqual(after.etag, before.etag)
})

test('a user adds and deletes presets, and a deleted one is found nowhere', async (context) => {
  const { ann, visitor, address } = await withPublicPicture(context)
  const created = await ann.post('/api/presets', {
    name: 'banner',
    width: 700,
    height: 90,
    fit: 'cover',
    format: 'jpg',
  })
  assert.equal(created.statusCode, 201, created.body)
  const banner = await visitor.get(`${address}?p=banner`)
  assert.equal(banner.headers['content-type'], 'image/jpeg')
  const left = await ann.delete('/api/presets/banner')
  assert.equal(left.json().length, 5)
  assert.equal((await visitor.get(`${address}?p=banner`)).statusCode, 404)
  for (const { name } of left.json()) await ann.delete(`/api/presets/${name}`)
  assert.deepEqual((await ann.get('/api/presets')).json(), [], 'the first five do not come back')
})

test("a user's presets apply to the user's own items only", async (context) => {
  const { ann, visitor, product, address } = await withPublicPicture(context)
  const bob = await product.register('bob')
  await bob.post('/api/presets', { name: 'mine', width: 50 })
  await bob.patch('/api/presets/card', { width: 10 })
  assert.equal((await visitor.get(`${address}?p=mine`)).statusCode, 404)
  assert.equal((await ann.get('/api/presets')).json()[1].width, 800)
  assert.equal((await ann.patch('/api/presets/mine', { width: 10 })).statusCode, 404)
  assert.equal((await ann.delete('/api/presets/mine')).statusCode, 404)
})

test('presets with invalid values are refused, and nothing changes', async (context) => {
  const ann = await (await testApp(context)).register()
  const before = (await ann.get('/api/presets')).body
  for (const [draft, status] of [
    [{ name: 'Big One', width: 100 }, 400],
    [{ name: 'a'.repeat(41), width: 100 }, 400],
    [{ name: 'none' }, 400],
    [{ name: 'zero', width: 0 }, 400],
    [{ name: 'huge', width: 8193 }, 400],
    [{ name: 'half', width: 10.5 }, 400],
    [{ name: 'text', width: '100' }, 400],
    [{ name: 'odd', width: 100, fit: 'stretch' }, 400],
    [{ name: 'tiff', width: 100, format: 'tiff' }, 400],
    [{ name: 'rough', width: 100, quality: 5 }, 400],
    [{ name: 'thumb', width: 100 }, 409],
  ] as const) {
    const answer = await ann.post('/api/presets', draft)
    assert.equal(answer.statusCode, status, JSON.stringify(draft))
    assert.ok(answer.json().message.length > 10)
  }
  assert.equal((await ann.patch('/api/presets/hero', { width: null })).statusCode, 400)
  assert.equal((await ann.patch('/api/presets/nothing', { width: 100 })).statusCode, 404)
  assert.equal((await ann.get('/api/presets')).body, before)
})

test('a user has at most 50 presets, also when many are added at once', async (context) => {
  const ann = await (await testApp(context)).register()
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => ann.post('/api/presets', { name: `size-${index}`, width: 100 })),
  )
  assert.equal(answers.filter(({ statusCode }) => statusCode === 201).length, 45)
  assert.equal((await ann.get('/api/presets')).json().length, 50)
})

test('signed addresses and presets survive a restore', async (context) => {
  const { ann, visitor, product, address, addressesOf, id } = await withPublicPicture(context)
  await ann.post('/api/presets', { name: 'banner', width: 700, height: 90, fit: 'cover' })
  const [signed] = await addressesOf([{ format: 'webp', width: 333 }])
  const backup = await makeBackup(ann)
  await ann.delete(`/api/media/${id}`)
  await product.services.db.deleteFrom('delivery_settings').execute()
  await restore(product, ann, backup.id)
  const answer = await visitor.get(pathOf(signed))
  assert.equal(answer.statusCode, 200, answer.body)
  assert.equal((await visitor.get(`${address}?p=banner`)).statusCode, 200)
})

test('addresses of an item are told to its owner only, and are null while it is private', async (context) => {
  const { ann, id, product, addressesOf } = await withPublicPicture(context)
  const bob = await product.register('bob')
  const refused = await bob.post(`/api/media/${id}/addresses`, { files: [{}] })
  assert.equal(refused.statusCode, 404)
  await ann.delete(`/api/media/${id}/public`)
  const files = [{ format: 'webp', width: 320 }]
  const weighed = (await ann.post(`/api/media/${id}/addresses`, { files, areWeighed: true })).json().addresses[0]
  assert.deepEqual([weighed.url, weighed.width, weighed.height], [null, 320, 240])
  assert.ok(weighed.bytes > 100)
  assert.deepEqual(await addressesOf([{ preset: 'thumb' }]), [{ url: null, width: 400, height: 400, bytes: null }])
})
