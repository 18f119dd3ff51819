import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import sharp from 'sharp'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { testApp } from '#tests/support/test-app.ts'
import { elementsOf } from './page-elements.fixture.ts'
import { addCopies, shareCollection, withSharedCollection } from './sharing.fixture.ts'

test('a collection page has its images with sizes and descriptions without any script', async (context) => {
  const { ann, visitor, slug, media } = await withSharedCollection(context, { count: 10 })
  await ann.patch(`/api/media/${media[0]!.id}`, { userDescription: 'A beach' })
  const elements = elementsOf((await visitor.get(`/public/collections/${slug}`)).body)
  const pictures = elements.filter(({ nodeName }) => nodeName === 'img')
  assert.equal(pictures.length, 10)
  const [first] = pictures
  assert.deepEqual(
    [first!.at.alt, first!.at.width, first!.at.height, first!.at.loading],
    ['A beach', '120', '90', undefined],
  )
  assert.equal((await visitor.get(first!.at.src!)).statusCode, 200)
  assert.match(first!.at.srcset!, /~thumbnail-400\.webp 120w, \/files\/.*\?w=640&format=webp 120w$/)
  assert.equal(pictures.at(-1)!.at.loading, 'lazy')
  const title = elements.find(({ at }) => at.class === 'pub-title')!
  assert.equal(title.at.dir, 'auto', 'a title in Hebrew goes from right to left')
  const tile = elements.find(({ at }) => at['data-media'])!
  assert.equal((await visitor.get(tile.at.href!)).headers['content-type'], 'image/webp', 'a tile is a link that works')
  const large = JSON.parse(tile.at['data-media']!)
  assert.match(large.avif, /\?w=640&format=avif 120w$/)
})

test("the AI's description is an alternative text and no caption, until its owner has changed it", async (context) => {
  const { product, ann, visitor, slug, media } = await withSharedCollection(context, { count: 1 })
  const { id } = media[0]!
  const written = { ai_description: 'A dog on a sofa', ai_description_source: 'ai' } as const
  await product.services.db.updateTable('media').set(written).where('id', '=', id).execute()
  const single = new URL((await ann.post(`/api/media/${id}/public`)).json().publicUrl).pathname
  const captions = async () => {
    const tile = elementsOf((await visitor.get(`/public/collections/${slug}`)).body).find(({ at }) => at['data-media'])!
    const page = elementsOf((await visitor.get(single)).body)
    const subtitle = page.find(({ at }) => at.class === 'pub-subtitle')
    const { alt } = page.find(({ nodeName }) => nodeName === 'img')!.at
    return [JSON.parse(tile.at['data-media']!).caption, Boolean(subtitle), alt]
  }
  assert.deepEqual(await captions(), [null, false, 'A dog on a sofa'])
  await ann.patch(`/api/media/${id}`, { aiDescription: 'Rex on his sofa' })
  assert.deepEqual(await captions(), ['Rex on his sofa', true, 'Rex on his sofa'])
})

test('a right-to-left name does not reorder the text next to it', async (context) => {
  const product = await testApp(context)
  const { slug } = await shareCollection(await product.register('שלום כהן'), { count: 0 })
  const { body } = await product.visitor().get(`/public/collections/${slug}`)
  assert.match(body, />By <bdi>שלום כהן<\/bdi></)
})

test('a tile has its image’s color as a placeholder, unless the image is transparent', async (context) => {
  const { ann, visitor, id, slug } = await withSharedCollection(context, { count: 1 })
  const pixels = { create: { width: 140, height: 140, channels: 4 as const, background: '#f60' } }
  const logo = await sharp(pixels).extend({ left: 9, background: '#0000' }).png().toBuffer()
  await ann.post(`/api/collections/${id}/media/${(await ann.addPicture('logo.png', logo)).id}`)
  const style = (await visitor.get(`/public/collections/${slug}/style.css`)).body
  assert.deepEqual([...style.matchAll(/--pub-tint:(#|\w+)/g)].map(([, tint]) => tint).sort(), ['#', 'transparent'])
})

test('an icon is not enlarged in its tile', async (context) => {
  const { ann, visitor, id, slug } = await withSharedCollection(context, { count: 0 })
  const icon = await sharp({ create: { width: 96, height: 32, channels: 3, background: '#f60' } })
    .png()
    .toBuffer()
  await ann.post(`/api/collections/${id}/media/${(await ann.addPicture('icon.png', icon)).id}`)
  const page = elementsOf((await visitor.get(`/public/collections/${slug}`)).body)
  const picture = page.find(({ nodeName }) => nodeName === 'img')!
  assert.equal(picture.at.srcset, undefined, 'the size would be that of its place')
  const style = (await visitor.get(`/public/collections/${slug}/style.css`)).body
  assert.match(style, /\.pub-c0 img\{object-fit:none\}/)
  assert.doesNotMatch(style, /--pub-tint/, 'it would be lost on its own colour')
  assert.match(style, /\.pub-frame\{--pub-width:12rem\}/)
})

test('a large collection is paginated with links between the pages', async (context) => {
  const shared = await withSharedCollection(context, { count: 1 })
  const { product, ann, visitor, slug } = shared
  await addCopies(product.services.db, shared, { count: 124 })
  assert.equal((await ann.get(`/api/public/collections/${slug}`)).json().media.length, 125)
  const first = elementsOf((await visitor.get(`/public/collections/${slug}`)).body)
  assert.equal(first.filter(({ at }) => at['data-media']).length, 120)
  const next = first.find(({ at }) => at.rel === 'next')!
  const second = elementsOf((await visitor.get(next.at.href!)).body)
  assert.equal(second.filter(({ at }) => at['data-media']).length, 5)
  assert.equal(
    second.some(({ at }) => at.rel === 'next'),
    false,
  )
  const backFrom = async (address: string) =>
    elementsOf((await visitor.get(address)).body).find(({ at }) => at.rel === 'prev')!.at.href
  assert.equal(await backFrom(next.at.href!), `/public/collections/${slug}?page=1`)
  // Links inside another website's frame lead to embedded pages only.
  assert.equal(await backFrom(`${next.at.href}&embed=1`), `/public/collections/${slug}?page=1&embed=1`)

  const last = `/public/collections/${slug}?page=3`
  assert.match((await visitor.get(last)).body, /There are no more items on this page/)
  assert.equal(await backFrom(last), `/public/collections/${slug}?page=1`)
})

test('a page links the built client files', async (context) => {
  const clientDir = await temporaryFolder(context)
  await mkdir(`${clientDir}/assets`)
  const tags =
    '<link rel="stylesheet" crossorigin href="/assets/p.css"><script type="module" crossorigin src="/assets/p.js"></script>'
  await writeFile(`${clientDir}/public.html`, `<!doctype html><script src="/theme.js"></script>${tags}`)
  const product = await testApp(context, {}, { clientDir })
  const { slug } = await shareCollection(await product.register(), { count: 0 })
  const { body } = await product.visitor().get(`/public/collections/${slug}`)
  assert.match(body, /<link rel="stylesheet" crossorigin href="\/assets\/p\.css">/)
  assert.match(body, /<script type="module" crossorigin src="\/assets\/p\.js"><\/script>/)
  assert.doesNotMatch(body, /theme\.js/)
})

test('cached pages and API responses show every change at once', async (context) => {
  const { ann, visitor, id, slug, media } = await withSharedCollection(context)
  const page = async () => {
    const { body } = await visitor.get(`/public/collections/${slug}`)
    for (const call of [`/api/public/collections/${slug}`, `/api/public/collections/${slug}/data`]) {
      const answer = await visitor.get(call)
      assert.match(String(answer.headers['content-type']), /^application\/json/)
      assert.equal(answer.body.includes('a heron at dusk'), body.includes('a heron at dusk'))
      assert.equal(answer.body.includes('Marshes'), body.includes('Marshes'))
    }
    return body
  }
  const style = async () => (await visitor.get(`/public/collections/${slug}/style.css`)).body
  const first = media[0]!
  assert.match(await page(), new RegExp(first.filename))
  const tiles = (await style()).split('grid-row').length
  await ann.patch(`/api/collections/${id}/branding`, { backgroundColor: '#123456' })
  assert.match(await style(), /--pub-background:#123456/)
  await ann.patch(`/api/media/${first.id}`, { userDescription: 'a heron at dusk' })
  assert.match(await page(), /a heron at dusk/)
  await ann.patch(`/api/collections/${id}`, { name: 'Marshes' })
  assert.match(await page(), /Marshes/)
  await ann.send({ method: 'DELETE', url: `/api/collections/${id}/media/${first.id}` })
  assert.doesNotMatch(await page(), /a heron at dusk/)
  assert.equal((await style()).split('grid-row').length, tiles - 1)
  await ann.patch(`/api/collections/${id}/visibility`, { isPublic: false })
  for (const kind of ['', '/api']) {
    assert.equal((await visitor.get(`${kind}/public/collections/${slug}`)).statusCode, 404)
  }
})

test('a page and its style sheet are compressed as the browser accepts, with the same content', async (context) => {
  const shared = await withSharedCollection(context)
  await addCopies(shared.product.services.db, shared, { count: 30 })
  for (const part of ['', '/style.css']) {
    const ask = (encoding: string) =>
      shared.visitor.get(`/public/collections/${shared.slug}${part}`, { 'accept-encoding': encoding })
    const plain = await ask('identity')
    const [brotli, gzip] = [await ask('gzip, deflate, br'), await ask('gzip')]
    assert.deepEqual([brotli.headers['content-encoding'], gzip.headers['content-encoding']], ['br', 'gzip'])
    assert.match(String(plain.headers.vary), /Accept-Encoding/)
    assert.equal(brotliDecompressSync(brotli.rawPayload).toString(), plain.body)
    assert.equal(gunzipSync(gzip.rawPayload).toString(), plain.body)
  }
})

test('the unlock URL redirects to the collection', async (context) => {
  const { ann, visitor, id, slug } = await withSharedCollection(context)
  await ann.patch(`/api/collections/${id}/sharing`, { password: 'open sesame' })
  const answer = await visitor.get(`/public/collections/${slug}/unlock`)
  assert.deepEqual([answer.statusCode, answer.headers.location], [303, `/public/collections/${slug}`])
  assert.equal(
    (await visitor.get('/public/collections/%0D%0A%E2%82%AC/unlock')).statusCode,
    303,
    'also for an invalid slug',
  )
})
