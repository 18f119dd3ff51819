import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasCode, webFor } from './fetch-public.fixture.ts'
import { parseSitemap, readSitemap } from './sitemap.ts'
import { openSite } from './test-site.ts'

const parse = (xml: string, limit = 50) => parseSitemap(Buffer.from(xml), limit)
const urlset = (
  ...pages: string[]
) => `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  ${pages.map((page) => `<url><loc> ${page}\n</loc><lastmod>2026-01-01</lastmod></url>`).join('')}</urlset>`

test('a sitemap names pages, not the images and other languages of a page', () => {
  const xml = `<urlset><!-- <url><loc>https://a.example/old</loc></url> -->
    <url><loc>https://a.example/?a=1&amp;b=2</loc><image:image><image:loc>https://a.example/a.jpg</image:loc></image:image></url>
    <url><xhtml:link href="https://a.example/de"/><loc><![CDATA[https://a.example/two]]></loc></url>
    <url><loc>ftp://a.example/</loc></url><url><loc>/relative</loc></url><url><loc>https://u:p@a.example/</loc></url></urlset>`
  assert.deepEqual(parse(xml), { pages: ['https://a.example/?a=1&b=2', 'https://a.example/two'], sitemaps: [] })
})

test('a sitemap that declares entities is refused, wherever it does so', () => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>
    <urlset><url><loc>https://a.example/&b;</loc></url></urlset>`
  assert.throws(() => parse(bomb), /declares a document type or entities/)
  assert.throws(() => parse(`<urlset><!DOCTYPE urlset SYSTEM "file:///etc/passwd"><url>`), /declares/)
})

test('a webpage, a feed, a compressed file and an empty answer are no sitemaps', () => {
  for (const text of ['<html><body><loc>https://a.example/</loc>', '<rss><url><loc>https://a.example/</loc>', '', 'x'])
    assert.throws(() => parse(text), /not an XML sitemap/, text)
  assert.throws(() => parseSitemap(Buffer.from([0x1f, 0x8b, 8, 0]), 50), /Compressed sitemaps/)
})

test('five megabytes of open tags are read in linear time', () => {
  const start = performance.now()
  parse(`<urlset>${'<url><loc><'.repeat(450_000)}`)
  assert.ok(performance.now() - start < 5000)
})

test('the sitemaps of an index are read once, up to the limit, and an index in an index is not', async () => {
  await using site = await openSite((request, response) => {
    const page = (path: string) => `${site.origin}${path}`
    const index = (...paths: string[]) =>
      `<sitemapindex>${paths.map((path) => `<sitemap><loc>${page(path)}</loc></sitemap>`).join('')}</sitemapindex>`
    const answers: Record<string, string> = {
      '/sitemap.xml': index('/gone.xml', '/posts.xml', '/deeper.xml', '/pages.xml'),
      '/deeper.xml': index('/hidden.xml'),
      '/posts.xml': urlset(page('/1'), page('/2'), page('/1')),
      '/pages.xml': urlset(page('/3'), page('/4'), page('/5')),
    }
    const xml = answers[request.url!]
    response.writeHead(xml ? 200 : 404, { 'content-type': 'application/xml' }).end(xml)
  })
  await using web = webFor(site)
  const found = await readSitemap(web, `${site.origin}/sitemap.xml`, { limit: 4 })
  assert.deepEqual(found, { addresses: [1, 2, 3, 4].map((n) => `${site.origin}/${n}`), isTruncated: true })
  assert.ok(!site.hits.includes('/hidden.xml'))
})

test('the guard and the limits of pages hold for sitemaps too', async () => {
  await using site = await openSite((request, response) => {
    response.writeHead(200, { 'content-type': 'application/xml' })
    if (request.url === '/large.xml') response.end(`<urlset>${' '.repeat(6 * 1024 * 1024)}</urlset>`)
    else response.end('<sitemapindex><sitemap><loc>http://169.254.169.254/latest</loc></sitemap></sitemapindex>')
  })
  await using web = webFor(site)
  const read = (address: string) => readSitemap(web, address, { limit: 50 })
  await assert.rejects(read('http://127.0.0.1/sitemap.xml'), hasCode('unreachable'))
  await assert.rejects(read(`${site.origin}/large.xml`), hasCode('too-large'))
  await assert.rejects(read(`${site.origin}/index.xml`), /reached|names no pages/)
})
