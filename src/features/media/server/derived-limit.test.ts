import assert from 'node:assert/strict'
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { onEveryStorage } from '#tests/support/storages.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import { limitDerivedFiles } from './derived-limit.ts'

const blobs = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(64))
const keys = blobs.map((blob) => `${blob}/640.webp`)

async function withFiles(product: TestApp) {
  const { derived } = product.services.storage
  for (const key of keys) await derived.writeBuffer(key, Buffer.alloc(1000))
  await derived.writeBuffer(`${blobs[0]}/thumbnail-400.webp`, Buffer.alloc(5000))
  await derived.writeBuffer(`${blobs[0]}/playable.mp4`, Buffer.alloc(50_000))
  return derived
}

const listed = async ({ services }: TestApp) => {
  const files = await Array.fromAsync(services.storage.derived.list())
  return files.map(({ key }) => key).sort()
}

onEveryStorage(
  'resized copies above the limit are removed, and thumbnails and videos stay',
  async (context, settings) => {
    const product = await testApp(context, settings)
    const derived = await withFiles(product)
    assert.equal(await limitDerivedFiles({ derived }, 4000), 0)
    assert.equal((await listed(product)).length, 6)
    assert.equal(await limitDerivedFiles({ derived }, 3000), 2, 'down to nine tenths of the limit')
    const left = await listed(product)
    assert.equal(left.filter((key) => keys.includes(key)).length, 2)
    assert.ok(left.includes(`${blobs[0]}/thumbnail-400.webp`) && left.includes(`${blobs[0]}/playable.mp4`))
  },
)

test('the copies that were not used for the longest time are removed first', async (context) => {
  const product = await testApp(context)
  const derived = await withFiles(product)
  for (const [index, key] of keys.entries()) {
    const usedAt = new Date(Date.now() - (index + 1) * 24 * 3600_000)
    await utimes(join(product.directory, 'derived', key.slice(0, 2), key.slice(2, 4), key), usedAt, usedAt)
  }
  await derived.touch(keys[3]!)
  await limitDerivedFiles({ derived }, 2500)
  assert.deepEqual(
    (await listed(product)).filter((key) => keys.includes(key)),
    [keys[0], keys[3]],
  )
})

for (const [what, query, name] of [
  ['a resized copy', '?w=320', '/320.webp'],
  ["a visitor's copy without metadata", '', '/clean-2'],
] as const)
  test(`${what} that is opened again counts as used`, async (context) => {
    const product = await testApp(context)
    const ann = await product.register()
    const media = await ann.addPicture()
    await ann.post(`/api/media/${media.id}/public`)
    const visitor = product.visitor()
    const address = `${media.originalUrl}${query}`
    await visitor.get(address)
    const path = async () => {
      const key = (await listed(product)).find((each) => each.endsWith(name))!
      return { key, path: join(product.directory, 'derived', key.slice(0, 2), key.slice(2, 4), key) }
    }
    const file = await path()
    const longAgo = new Date(Date.now() - 24 * 3600_000)
    await utimes(file.path, longAgo, longAgo)
    const touched = Promise.withResolvers<void>()
    const touch = product.services.storage.derived.touch
    context.mock.method(product.services.storage.derived, 'touch', async (key: string) => {
      await touch(key)
      touched.resolve()
    })
    await visitor.get(address)
    await touched.promise
    const facts = await product.services.storage.derived.stat(file.key)
    assert.ok(facts!.modifiedAt.getTime() > Date.now() - 60_000)
  })
