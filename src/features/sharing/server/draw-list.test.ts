import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCopies, shareCollection, withSharedCollection } from './sharing.fixture.ts'

test('the public API returns a large collection complete and in order, and 304 when it is unchanged', async (context) => {
  const shared = await withSharedCollection(context, { count: 1 })
  const { product, ann, visitor, slug, media } = shared
  await addCopies(product.services.db, shared, { count: 120 })
  const names = ['picture-0.jpg', ...Array.from({ length: 120 }, (_, index) => `copy-${index + 1}.jpg`)]
  const address = `/api/public/collections/${slug}`
  const lists = {
    '': ({ media }: { media: { filename: string }[] }) => media.map(({ filename }) => filename),
    '/data': ({ media }: { media: { filename: string }[] }) => media.map(({ filename }) => filename),
    '/images': ({ images }: { images: { name: string }[] }) => images.map(({ name }) => name),
    '/urls': ({ urls }: { urls: string[] }) => urls.map((url) => url.split('/').at(-1)),
  }
  for (const [path, namesIn] of Object.entries(lists)) {
    const whole = await visitor.get(address + path)
    assert.deepEqual(namesIn(whole.json()), names, path)
    const packed = await visitor.get(address + path, { 'accept-encoding': 'br' })
    assert.equal(packed.headers['content-encoding'], 'br')
    assert.match(String(packed.headers.vary), /accept-encoding/i)
    assert.equal(packed.headers.etag, whole.headers.etag)
    const again = { 'if-none-match': String(whole.headers.etag), 'accept-encoding': 'br' }
    assert.equal((await visitor.get(address + path, again)).statusCode, 304)
    await ann.patch(`/api/media/${media[0]!.id}`, { filename: `${path.length}.jpg` })
    names[0] = `${path.length}.jpg`
    assert.equal((await visitor.get(address + path, again)).statusCode, 200)
  }
})

test('other requests are answered while a large collection is serialized', async (context) => {
  const shared = await withSharedCollection(context, { count: 1 })
  const { product, ann, visitor, slug } = shared
  const small = await shareCollection(ann, { count: 1, name: 'Small' })
  await addCopies(product.services.db, shared, { count: 300, description: 'ж'.repeat(10_000) })
  const order: string[] = []
  const visit = async (name: string) => {
    assert.equal((await visitor.get(`/api/public/collections/${name}/data`)).statusCode, 200)
    order.push(name)
  }
  await Promise.all([visit(slug), visit(small.slug)])
  assert.deepEqual(order, [small.slug, slug])
})
