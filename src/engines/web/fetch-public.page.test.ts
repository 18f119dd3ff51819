import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import zlib, { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { AppError } from '#platform/errors.ts'
import { hasCode, html, refusesPage, webFor } from './fetch-public.fixture.ts'
import { createPublicWeb } from './fetch-public.ts'
import { untrustedCertificate } from './test-certificate.ts'
import { openRawSite, openSite } from './test-site.ts'

test('a page is read, without cookies or a referrer, under a fixed name', async () => {
  let asked: NodeJS.Dict<string | string[]> = {}
  await using site = await openSite(({ headers }, response) => {
    asked = headers
    response.writeHead(200, { ...html, 'set-cookie': 'a=b' }).end('<title>Grüße</title>')
  })
  await using web = webFor(site)
  for (let visits = 0; visits < 2; visits++) {
    const page = await web.fetchPage(`${site.origin}/start#part`)
    assert.deepEqual(page, { url: `${site.origin}/start`, html: '<title>Grüße</title>' })
  }
  assert.match(String(asked['user-agent']), /^Albumen/)
  assert.equal(asked.cookie, undefined)
  assert.equal(asked.referer, undefined)
})

test('redirects are followed to the final page, relative and non-ASCII ones too', async () => {
  await using site = await openSite(({ url }, response) => {
    if (url === '/') return response.writeHead(301, { location: 'a/one' }).end('x'.repeat(100_000))
    if (url === '/a/one')
      return response.writeHead(303, { location: Buffer.from('../bücher').toString('latin1') }).end()
    response.writeHead(200, html).end(`<p>${url}`)
  })
  await using web = webFor(site)
  const page = await web.fetchPage(`${site.origin}/`)
  assert.equal(page.url, `${site.origin}/b%C3%BCcher`)
  assert.equal(page.html, '<p>/b%C3%BCcher')
})

test('a redirect loop ends after five redirects', async () => {
  await using site = await openSite((_request, response) => response.writeHead(302, { location: '/again' }).end())
  await using web = webFor(site)
  await assert.rejects(web.fetchPage(`${site.origin}/`), hasCode('too-many-redirects'))
  assert.equal(site.hits.length, 6)
})

test('redirects share the time of one visit', async () => {
  const slowly: RequestListener = (_request, response) =>
    void setTimeout(() => response.writeHead(302, { location: '/again' }).end(), 150)
  await refusesPage(slowly, 'timeout', { pageMs: 500 })
})

test('a page that answers with an error names the status', async () => {
  const failing =
    (status: number): RequestListener =>
    (_request, response) =>
      response.writeHead(status, html).end('no')
  await refusesPage(failing(404), 'bad-status', {}, /^Nothing was found at this URL \(404\)\.$/)
  await refusesPage(failing(500), 'bad-status', {}, /^The site returned an error \(500\)\./)
  await refusesPage(failing(304), 'bad-status', {}, /304/)
})

test('a response that is not a web page is refused by its type, or by its bytes if it has no type', async () => {
  await refusesPage(
    (_request, response) => response.writeHead(200, { 'content-type': 'image/png' }).end('x'),
    'not-html',
  )
  await refusesPage((_request, response) => response.end('\u0089PNG'), 'not-html')
  await using site = await openSite((_request, response) => response.end('  <!doctype html><p>hi'))
  await using web = webFor(site)
  assert.equal((await web.fetchPage(`${site.origin}/`)).html, '  <!doctype html><p>hi')
})

test('packed pages are unpacked', async () => {
  const text = '<p>bonjour</p>'.repeat(1000)
  const packed: Record<string, Buffer> = {
    gzip: gzipSync(text),
    'x-gzip': gzipSync(text),
    deflate: deflateSync(text),
    br: brotliCompressSync(text),
    zstd: zstdCompressSync(text),
    'gzip, br': brotliCompressSync(gzipSync(text)),
    identity: Buffer.from(text),
  }
  await using site = await openSite(({ url }, response) => {
    const encoding = decodeURIComponent(url!.slice(1))
    response.writeHead(200, { ...html, 'content-encoding': encoding }).end(packed[encoding])
  })
  await using web = webFor(site)
  for (const encoding of Object.keys(packed)) {
    assert.equal((await web.fetchPage(`${site.origin}/${encodeURIComponent(encoding)}`)).html, text, encoding)
  }
})

test('unknown codings, too many layers and damaged packing are refused', async () => {
  const send =
    (encoding: string, body: Buffer | string): RequestListener =>
    (_request, response) => {
      response.writeHead(200, { ...html, 'content-encoding': encoding }).end(body)
    }
  await refusesPage(send('exotic', 'x'), 'bad-encoding')
  await refusesPage(send('constructor', 'x'), 'bad-encoding')
  await refusesPage(send('gzip, gzip, gzip', gzipSync(gzipSync(gzipSync('x')))), 'bad-encoding')
  await refusesPage(send(Array(1000).fill('gzip').join(','), gzipSync('x')), 'bad-encoding')
  for (const encoding of ['gzip', 'deflate', 'br', 'zstd']) {
    await refusesPage(send(encoding, 'this was never packed at all'), 'bad-encoding')
  }
})

test('a gzip bomb is stopped long before it is unpacked', async (context) => {
  const bomb = Buffer.concat(Array(500).fill(gzipSync(Buffer.alloc(1024 * 1024))))
  const unpacking = context.mock.method(zlib, 'createGunzip')
  // Also for those who imported it by its name.
  syncBuiltinESMExports()
  context.after(syncBuiltinESMExports)
  await using site = await openSite((_request, response) =>
    response.writeHead(200, { ...html, 'content-encoding': 'gzip' }).end(bomb),
  )
  await using web = webFor(site)
  await assert.rejects(web.fetchPage(`${site.origin}/`), hasCode('too-large', /^The page is larger than 15 MB\.$/))
  unpacking.mock.restore()
  const [{ result }] = unpacking.mock.calls as [(typeof unpacking.mock.calls)[0]]
  assert.ok(result!.bytesWritten < bomb.length / 10, `${result!.bytesWritten} of ${bomb.length} bytes were unpacked`)
})

test('an endless page is stopped at its limit, and its connection is closed', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  await using site = await openSite((_request, response) => {
    response.writeHead(200, html)
    const more = () => {
      while (response.write(Buffer.alloc(65_536, ' '))) {}
    }
    response.on('drain', more).on('close', resolve)
    more()
  })
  await using web = webFor(site)
  await assert.rejects(web.fetchPage(`${site.origin}/`), hasCode('too-large'))
  await closed
})

test('a page that announces too much is not read at all', async () => {
  await refusesPage((_request, response) => {
    response.writeHead(200, { ...html, 'content-length': 16 * 1024 * 1024 }).flushHeaders()
  }, 'too-large')
})

test('a connection that breaks off, or speaks another language, is named as such', async () => {
  await refusesPage((_request, response) => {
    response.writeHead(200, { ...html, 'content-length': 1000 }).write('<p>')
    setImmediate(() => response.destroy())
  }, 'interrupted')
  await using site = await openRawSite((socket) => socket.end('220 smtp ready\r\n'))
  await using web = webFor(site)
  await assert.rejects(web.fetchPage(`${site.origin}/`), hasCode('unreachable'))
})

test('an untrusted certificate is refused', async () => {
  await using site = await openSite((_request, response) => response.end('<p>'), untrustedCertificate)
  await using web = webFor(site)
  await assert.rejects(web.fetchPage(`${site.origin}/`), hasCode('bad-certificate'))
  assert.deepEqual(site.hits, [])
})

test('the caller can stop a page, before and while it comes', async () => {
  await using site = await openSite((_request, response) => response.writeHead(200, html).write('<p>'))
  await using web = webFor(site)
  const reason = new Error('no longer wanted')
  await assert.rejects(web.fetchPage(`${site.origin}/`, { signal: AbortSignal.abort(reason) }), reason)
  assert.deepEqual(site.hits, [])
  const stop = new AbortController()
  const page = web.fetchPage(`${site.origin}/`, { signal: stop.signal })
  stop.abort(reason)
  await assert.rejects(page, reason)
})

test('at most four requests are under way at one host, and the others follow', async () => {
  const open: Array<() => void> = []
  let most = 0
  await using site = await openSite((_request, response) => {
    open.push(() => response.writeHead(200, html).end('<p>'))
    most = Math.max(most, open.length)
    if (open.length === 4 || site.hits.length > 8) for (const answer of open.splice(0)) setImmediate(answer)
  })
  await using web = webFor(site)
  const pages = await Promise.all(Array.from({ length: 10 }, (_, index) => web.fetchPage(`${site.origin}/${index}`)))
  assert.equal(pages.length, 10)
  assert.equal(most, 4)
})

test('an aborted request leaves the queue', async () => {
  await using site = await openSite((_request, response) => response.writeHead(200, html).write('<p>'))
  await using web = webFor(site, { perHost: 1 })
  const stop = new AbortController()
  const first = web.fetchPage(`${site.origin}/first`, { signal: stop.signal })
  const leave = new AbortController()
  const second = web.fetchPage(`${site.origin}/second`, { signal: leave.signal })
  leave.abort(new Error('left'))
  await assert.rejects(second, /left/)
  stop.abort(new Error('stopped'))
  await assert.rejects(first, /stopped/)
  assert.ok(!site.hits.includes('/second'))
})

test('closing ends what is under way', async () => {
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  await using site = await openSite((_request, response) => {
    response.writeHead(200, html).write('<p>')
    resolve()
  })
  const web = createPublicWeb({ allowHosts: [site.pair] })
  const failed = assert.rejects(web.fetchPage(`${site.origin}/`), AppError)
  await asked
  await web.close()
  await failed
})
