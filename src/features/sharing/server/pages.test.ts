import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { parse } from 'parse5'
import pino from 'pino'
import sharp from 'sharp'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { testApp } from '#tests/support/test-app.ts'
import { shareCollection, withSharedCollection } from './testing.ts'

type Element = { nodeName: string; attrs?: { name: string; value: string }[]; childNodes?: Element[]; value?: string }

/** All elements of a document, as a robot or browser would make them. */
function elementsOf(page: string): (Element & { at: Record<string, string> })[] {
  const found: (Element & { at: Record<string, string> })[] = []
  const visit = (node: Element) => {
    if (node.attrs) found.push({ ...node, at: Object.fromEntries(node.attrs.map(({ name, value }) => [name, value])) })
    for (const child of node.childNodes ?? []) visit(child)
  }
  visit(parse(page) as unknown as Element)
  return found
}

/** What a program that shows link previews reads: the title and the meta tags. */
function previewOf(page: string) {
  const elements = elementsOf(page)
  const metas = elements.filter(({ nodeName }) => nodeName === 'meta')
  const title = elements.find(({ nodeName }) => nodeName === 'title')?.childNodes?.[0]?.value
  return { title, ...Object.fromEntries(metas.map(({ at }) => [at.property ?? at.name, at.content])) } as Record<
    string,
    string | undefined
  >
}

const formType = 'application/x-www-form-urlencoded'
const robot = { 'user-agent': 'facebookexternalhit/1.1', accept: '*/*', host: 'photos.example' }

test('a link to a collection shows its title, words and cover where it is pasted', async (context) => {
  const { ann, visitor, id, slug, media } = await withSharedCollection(context)
  await ann.patch(`/api/collections/${id}`, { coverMediaId: media[1]!.id })
  await ann.patch(`/api/media/${media[1]!.id}`, { userDescription: 'The pier at "low" tide' })
  await ann.patch(`/api/collections/${id}/branding`, { title: 'Summer & <Sea>', subtitle: 'Two days' })
  const answer = await visitor.get(`/public/collections/${slug}`, robot)
  assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
  const preview = previewOf(answer.body)
  assert.equal(preview.title, 'Summer & <Sea>')
  assert.equal(preview['og:title'], 'Summer & <Sea>')
  assert.equal(preview['og:description'], 'Two days')
  assert.equal(preview['og:url'], `http://photos.example/public/collections/${slug}`)
  assert.equal(preview['og:image'], `http://photos.example${media[1]!.originalUrl}?w=1280&format=jpeg`)
  assert.equal(preview['og:image:alt'], 'The pier at "low" tide')
  assert.deepEqual([preview['og:image:width'], preview['og:image:height']], ['80', '60'])
  assert.equal(preview['twitter:card'], 'summary_large_image')
  const image = await visitor.get(new URL(preview['og:image']!).pathname + new URL(preview['og:image']!).search, robot)
  assert.deepEqual([image.statusCode, image.headers['content-type']], [200, 'image/jpeg'])
})

test('a link to an item shows its name, description and picture; PUBLIC_URL is what others see', async (context) => {
  const { register, visitor } = await testApp(context, { PUBLIC_URL: 'https://albumen.example' })
  const ann = await register()
  const item = await ann.addPicture('pier.jpg')
  await ann.patch(`/api/media/${item.id}`, { userDescription: 'The pier' })
  const { publicUrlSlug } = (await ann.post(`/api/media/${item.id}/public`)).json()
  const preview = previewOf((await visitor().get(`/public/${publicUrlSlug}`, robot)).body)
  assert.deepEqual([preview.title, preview['og:description']], ['pier', 'The pier'])
  assert.equal(preview['og:url'], `https://albumen.example/public/${publicUrlSlug}`)
  assert.equal(preview['og:image'], `https://albumen.example${item.originalUrl}?w=1280&format=jpeg`)
})

test('the first answer holds the pictures, with their size and description, before any script', async (context) => {
  const { ann, visitor, slug, media } = await withSharedCollection(context, { count: 10 })
  await ann.patch(`/api/media/${media[0]!.id}`, { userDescription: 'A beach' })
  const elements = elementsOf((await visitor.get(`/public/collections/${slug}`)).body)
  const pictures = elements.filter(({ nodeName }) => nodeName === 'img')
  assert.equal(pictures.length, 10)
  const [first] = pictures
  assert.deepEqual(
    [first!.at.alt, first!.at.width, first!.at.height, first!.at.loading],
    ['A beach', '80', '60', undefined],
  )
  assert.equal((await visitor.get(first!.at.src!)).statusCode, 200)
  assert.match(first!.at.srcset!, /~thumbnail-400\.webp 80w, \/files\/.*\?w=640&format=webp 80w$/)
  assert.equal(pictures.at(-1)!.at.loading, 'lazy')
  const tile = elements.find(({ at }) => at['data-media'])!
  assert.equal((await visitor.get(tile.at.href!)).headers['content-type'], 'image/webp', 'a tile is a link that works')
  const large = JSON.parse(tile.at['data-media']!)
  assert.match(large.avif, /\?w=640&format=avif 80w$/)
})

test('a tile waits in the colour of its picture, unless that would be seen through it for ever', async (context) => {
  const { ann, visitor, id, slug } = await withSharedCollection(context, { count: 1 })
  const pixels = { create: { width: 40, height: 40, channels: 4 as const, background: '#f60' } }
  const logo = await sharp(pixels).extend({ left: 9, background: '#0000' }).png().toBuffer()
  await ann.post(`/api/collections/${id}/media/${(await ann.addPicture('logo.png', logo)).id}`)
  const style = (await visitor.get(`/public/collections/${slug}/style.css`)).body
  assert.deepEqual([...style.matchAll(/--pub-tint:(#|\w+)/g)].map(([, tint]) => tint).sort(), ['#', 'transparent'])
})

test('names, words and branding of every kind stay text, in pages, styles and link previews', async (context) => {
  const samples = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    '</title><script>alert(1)</script>',
    '0;url=javascript:alert(1)" http-equiv="refresh',
    '{{constructor.constructor("alert(1)")()}}',
    '\u202egpj.exe</style><svg onload=alert(1)>',
  ]
  const { ann, visitor } = await withSharedCollection(context, { count: 0 })
  for (const sample of samples) {
    const shared = await shareCollection(ann, { name: sample, count: 1 })
    await ann.patch(`/api/collections/${shared.id}`, { description: sample })
    await ann.patch(`/api/media/${shared.media[0]!.id}`, {
      filename: sample,
      userDescription: sample,
      aiDescription: sample,
      aiTags: [sample.slice(0, 50)],
    })
    const branding = {
      title: sample,
      subtitle: sample,
      customCss: `${sample} .a{color:red;background:url(//evil.example)}`,
    }
    assert.equal((await ann.patch(`/api/collections/${shared.id}/branding`, branding)).statusCode, 200)
    const item = (await ann.post(`/api/media/${shared.media[0]!.id}/public`)).json()
    const page = `/public/collections/${shared.slug}`
    const preview = (await ann.post(`/api/collections/${shared.id}/preview`, branding)).json().html
    const pages = [page, `${page}?embed=1`, `/public/${item.publicUrlSlug}`]
    for (const body of [preview, ...(await Promise.all(pages.map(async (url) => (await visitor.get(url)).body)))]) {
      for (const { nodeName, at } of elementsOf(body)) {
        assert.ok(nodeName !== 'script' || /^\/assets\//.test(at.src ?? ''), `${nodeName} of ${sample}`)
        assert.ok(!['svg', 'iframe', 'object', 'embed', 'form'].includes(nodeName), nodeName)
        assert.deepEqual(
          Object.keys(at).filter((name) => name.startsWith('on') || name === 'http-equiv' || name === 'style'),
          [],
        )
        for (const value of [at.href, at.src]) assert.doesNotMatch(value ?? '', /^\s*(javascript|data):|evil\.example/i)
      }
    }
    const style = await visitor.get(`${page}/style.css`)
    assert.equal(style.headers['content-type'], 'text/css; charset=utf-8')
    assert.doesNotMatch(style.body, /<|url\(|@import|evil/)
  }
})

test('colours and picture addresses that are none are refused', async (context) => {
  const { ann, id } = await withSharedCollection(context, { count: 0 })
  const refused = [
    { backgroundColor: 'red;}body{display:none' },
    { textColor: 'url(//evil.example)' },
    { accentColor: '#12' },
    { logoUrl: 'javascript:alert(1)' },
    { logoUrl: 'http://plain.example/logo.png' },
    { logoUrl: 'http://plain.example/files/1/0123456789ab/logo.png' },
    { headerImage: 'data:image/svg+xml,<svg onload=alert(1)>' },
    { headerImage: '//evil.example/x.png' },
    { customCss: 'a'.repeat(20_001) },
  ]
  for (const branding of refused)
    assert.equal(
      (await ann.patch(`/api/collections/${id}/branding`, branding)).statusCode,
      400,
      JSON.stringify(branding),
    )
})

test('the style sheet carries the colours of the owner and what is allowed of their CSS', async (context) => {
  const { ann, visitor, id, slug } = await withSharedCollection(context)
  const customCss = '.pub-title { letter-spacing: 2px }\n@import "x";'
  await ann.patch(`/api/collections/${id}/branding`, { backgroundColor: '#101820', accentColor: '#fee715', customCss })
  const { body } = await visitor.get(`/public/collections/${slug}/style.css`)
  assert.match(
    body,
    /color-scheme:dark;--pub-background:#101820;--pub-text:#000000;--pub-accent:#fee715;--pub-on-accent:#000000/,
  )
  assert.match(body, /\n\.pub-root \.pub-title\{letter-spacing:2px\}$/)
  const preview = (await ann.post(`/api/collections/${id}/preview`, { customCss })).json()
  assert.deepEqual(preview.refused, [
    { text: '@import "x";', reason: '@import is not allowed; only @media is.', line: 2 },
  ])
  assert.equal((await visitor.post(`/api/collections/${id}/preview`, { customCss })).statusCode, 401)
})

test('pages let nothing inline or foreign run, and only the embedded view goes into a frame', async (context) => {
  const { ann, visitor, id, slug } = await withSharedCollection(context)
  const page = await visitor.get(`/public/collections/${slug}`)
  const policy = String(page.headers['content-security-policy'])
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/)
  assert.match(policy, /form-action 'none'; frame-ancestors 'self'/)
  assert.match(String(page.headers['cache-control']), /no-cache/)
  const embedded = await visitor.get(`/public/collections/${slug}?embed=1`)
  assert.match(String(embedded.headers['content-security-policy']), /form-action 'none'; frame-ancestors \*/)
  assert.doesNotMatch(String(embedded.headers['content-security-policy']), /script-src/)
  assert.equal(embedded.headers['x-frame-options'], undefined)
  assert.doesNotMatch(embedded.body, /<script/)
  const links = elementsOf(embedded.body).filter(({ nodeName }) => nodeName === 'a')
  for (const { at } of links)
    assert.deepEqual([at.href, at.target, at.rel], [`/public/collections/${slug}`, '_blank', 'noopener'])

  await ann.patch(`/api/collections/${id}/sharing`, { password: 'open sesame' })
  const locked = await visitor.get(`/public/collections/${slug}?embed=1`)
  assert.equal(locked.statusCode, 401)
  assert.match(String(locked.headers['content-security-policy']), /frame-ancestors \*/)
  // A key that is given inside a frame is not kept: the password is asked for in a tab of the page's own.
  const toPress = elementsOf(locked.body).filter(({ nodeName }) => ['a', 'form', 'input', 'button'].includes(nodeName))
  assert.deepEqual(
    toPress.map(({ nodeName, at }) => [nodeName, at.href, at.target, at.rel]),
    [['a', `/public/collections/${slug}`, '_blank', 'noopener']],
  )
})

test('a large collection comes in parts that lead to one another', async (context) => {
  const { product, ann, visitor, id, slug, media } = await withSharedCollection(context, { count: 1 })
  const { db } = product.services
  const { id: _id, ...row } = await db
    .selectFrom('media')
    .selectAll()
    .where('id', '=', media[0]!.id)
    .executeTakeFirstOrThrow()
  for (let index = 1; index < 125; index++) {
    const copy = await db
      .insertInto('media')
      .values({ ...row, filename: `copy-${index}.jpg` })
      .returning('id')
      .executeTakeFirstOrThrow()
    await db
      .insertInto('collection_media')
      .values({ collection_id: id, media_id: copy.id, media_created_at: 1, position: index + 1, added_at: 1 })
      .execute()
  }
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
  // Inside the frame of another website only embedded views are shown.
  assert.equal(await backFrom(`${next.at.href}&embed=1`), `/public/collections/${slug}?page=1&embed=1`)

  const last = `/public/collections/${slug}?page=3`
  assert.match((await visitor.get(last)).body, /There is nothing on this page any more/)
  assert.equal(await backFrom(last), `/public/collections/${slug}?page=1`)
})

test('the files of the built client are named in the page', async (context) => {
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

test('a page that was just drawn for another visitor shows every change at once, and so do the calls', async (context) => {
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
  const first = media[0]!
  assert.match(await page(), new RegExp(first.filename))
  await ann.patch(`/api/media/${first.id}`, { userDescription: 'a heron at dusk' })
  assert.match(await page(), /a heron at dusk/)
  await ann.patch(`/api/collections/${id}`, { name: 'Marshes' })
  assert.match(await page(), /Marshes/)
  await ann.send({ method: 'DELETE', url: `/api/collections/${id}/media/${first.id}` })
  assert.doesNotMatch(await page(), /a heron at dusk/)
  await ann.patch(`/api/collections/${id}/visibility`, { isPublic: false })
  for (const kind of ['', '/api']) {
    assert.equal((await visitor.get(`${kind}/public/collections/${slug}`)).statusCode, 404)
  }
})

test('a page travels packed as the browser asks, and is the same page', async (context) => {
  const { visitor, slug } = await withSharedCollection(context)
  const ask = (encoding: string) => visitor.get(`/public/collections/${slug}`, { 'accept-encoding': encoding })
  const plain = await ask('identity')
  const [brotli, gzip] = [await ask('gzip, deflate, br'), await ask('gzip')]
  assert.deepEqual([brotli.headers['content-encoding'], gzip.headers['content-encoding']], ['br', 'gzip'])
  assert.equal(brotliDecompressSync(brotli.rawPayload).toString(), plain.body)
  assert.equal(gunzipSync(gzip.rawPayload).toString(), plain.body)
})

onOneDatabase('a fault of ours is a page to whoever opened a document, and JSON to programs', async (context) => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const logged = (msg: string) => lines.map((line) => JSON.parse(line)).filter((line) => line.msg === msg)
  const product = await testApp(context, {}, { log })
  const ann = await product.register()
  const { slug, media } = await shareCollection(ann, { count: 1 })
  const { publicUrlSlug } = (await ann.post(`/api/media/${media[0]!.id}/public`)).json()
  const { db } = product.services
  let fault: Error = Object.assign(new Error('the database system is starting up'), { code: '57P03' })
  const broken = [
    context.mock.method(db, 'executeQuery', () => Promise.reject(fault)),
    context.mock.method(db, 'selectFrom', () => {
      throw fault
    }),
  ]
  const visitor = product.visitor()
  const page = `/public/collections/${slug}`
  const unlock = { url: `${page}/unlock`, payload: 'password=sea', headers: { 'content-type': formType } }
  const documents = [
    await visitor.get(page),
    await visitor.get(`${page}?embed=1`),
    await visitor.get(`/public/${publicUrlSlug}`),
    await visitor.send({ method: 'POST', ...unlock }),
  ]
  for (const answer of documents) {
    assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [503, '5'])
    assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
    const shown = previewOf(answer.body)
    assert.deepEqual([shown.title, shown.robots], ['This page could not be loaded', 'noindex'])
    assert.match(answer.body, />Please try again in a moment\.</)
  }
  assert.match(String(documents[1]!.headers['content-security-policy']), /frame-ancestors \*/, 'seen in its frame')
  assert.equal(logged('request failed').length, documents.length)
  for (const url of [`${page}/style.css`, `${page}/download`, `/api${page}`]) {
    const answer = await visitor.get(url)
    assert.deepEqual([answer.statusCode, answer.json().code], [503, 'unavailable'], url)
  }

  fault = new Error('secret detail')
  const unexpected = await visitor.get(page)
  const [{ reqId }] = logged('request failed unexpectedly') as [{ reqId: string }]
  assert.deepEqual([unexpected.statusCode, unexpected.body.includes(`(request ${reqId})`)], [500, true])
  assert.doesNotMatch(unexpected.body, /secret/)
  for (const one of broken) one.mock.restore()
  assert.equal((await visitor.get(page)).statusCode, 200)
})
