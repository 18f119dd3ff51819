import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createPublicWeb } from './fetch-public.ts'
import { findImages } from './find-images/find-images.ts'
import { openSite } from './test-site.ts'

const fixtures = new URL('./find-images/fixtures/', import.meta.url)

test('every saved page is fetched from a server and yields its pictures', async () => {
  await using site = await openSite(async ({ url }, response) => {
    const page = await readFile(new URL(`.${url}`, fixtures))
    response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(gzipSync(page))
  })
  const web = createPublicWeb({ allowHosts: [site.pair] })
  const counts: Record<string, number> = {}
  for (const name of await readdir(fixtures)) {
    const page = await web.fetchPage(`${site.origin}/${name}`)
    counts[name] = findImages(page.html, page.url).images.length
  }
  await web.close()
  assert.deepEqual(counts, {
    'news.html': 5,
    // One more than at its own address: its og:image names that site, and is another picture here.
    'nextjs.html': 4,
    'scripted.html': 1,
    'shopify.html': 5,
    'squarespace.html': 4,
    'wikipedia.html': 4,
    'wordpress-lazy.html': 6,
  })
})

test('a picture with a relative address on an old page can be fetched', async () => {
  const picture = Buffer.from(
    '47494638396101000100800000ffffff00000021f90401000000002c00000000010001000002024401003b',
    'hex',
  )
  await using site = await openSite(({ url }, response) => {
    if (url === '/here') return response.writeHead(302, { location: '/album/' }).end()
    if (url === '/album/') {
      const page = Buffer.from('<meta charset=iso-8859-1><title>Caf\u00e9</title><img src="caf\u00e9.gif">', 'latin1')
      return response.writeHead(200, { 'content-type': 'text/html' }).end(page)
    }
    if (url !== '/album/caf%C3%A9.gif') return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'image/gif' }).end(picture)
  })
  const web = createPublicWeb({ allowHosts: [site.pair] })
  const page = await web.fetchPage(`${site.origin}/here`)
  const { title, images } = findImages(page.html, page.url)
  assert.equal(title, 'Café')
  const stream = new PassThrough()
  const [bytes] = await Promise.all([buffer(stream), web.fetchFile(images[0]!.url, { destination: stream })])
  await web.close()
  assert.deepEqual(bytes, picture)
})
