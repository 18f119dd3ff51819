import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { testApp } from '#tests/support/test-app.ts'

const page = '<!doctype html><title>Albumen</title><script src="/theme.js"></script>'
const script = `console.log(${'1 + '.repeat(1000)} 1)`

/** The app with a freshly built client, in a folder whose path also contains `assets`. */
async function withClient(context: TestContext) {
  const clientDir = join(await temporaryFolder(context), 'assets', 'client')
  await mkdir(join(clientDir, 'assets'), { recursive: true })
  await mkdir(join(clientDir, 'assets/fonts'))
  await writeFile(join(clientDir, 'index.html'), page)
  await writeFile(join(clientDir, 'index.html.br'), brotliCompressSync(page))
  await writeFile(join(clientDir, 'public.html'), '<!doctype html><title>Not requested here</title>')
  await writeFile(join(clientDir, 'theme.js'), 'document.documentElement.dataset.theme = "dark"')
  await writeFile(join(clientDir, 'assets/index-4f2a.js'), script)
  await writeFile(join(clientDir, 'assets/index-4f2a.js.br'), brotliCompressSync(script))
  await writeFile(join(clientDir, 'assets/index-4f2a.js.gz'), gzipSync(script))
  return testApp(context, {}, { clientDir })
}

test('every screen’s path answers with the page, and an unknown path with the page and 404', async (context) => {
  const { app } = await withClient(context)
  const screens = ['/', '/auth', '/tags', '/websites', '/scraper', '/admin', '/database']
  for (const url of [...screens, '/?search=beach', '/auth?next=%2Fadmin']) {
    const answer = await app.inject({ url })
    assert.equal(answer.statusCode, 200, url)
    assert.equal(answer.body, page)
    assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(answer.headers['cache-control'], 'private, no-cache')
  }
  const names = ['/index.html', '/index.html.br', '/public.html']
  const nonsense = [
    '/nonsense',
    '/Auth',
    '/auth/more',
    '/public/a/b/',
    '//',
    '//evil.example/auth',
    '/%00',
    '/..%2f..%2fetc%2fpasswd',
  ]
  for (const url of [...names, ...nonsense]) {
    const answer = await app.inject({ url })
    assert.equal(answer.statusCode, 404, url)
    assert.equal(answer.body, page)
  }
  assert.equal((await app.inject({ method: 'HEAD', url: '/' })).statusCode, 200)
  for (const [url, target] of [
    ['/admin/', '/admin'],
    ['/scraper/', '/scraper'],
    ['/auth/?next=%2Fadmin?', '/auth?next=%2Fadmin?'],
    ['/public/beach-1a2b3c/', '/public/beach-1a2b3c'],
    ['/public/collections/beach-days/?page=2', '/public/collections/beach-days?page=2'],
  ] as const) {
    const answer = await app.inject({ url })
    assert.deepEqual([answer.statusCode, answer.headers.location], [301, target], 'a slash at the end is too much')
  }
})

test("a signed-in user's screen preloads what its client requests first", async (context) => {
  const { app, register } = await withClient(context)
  const ann = await register()
  const preloadsOf = (body: string) =>
    [...body.matchAll(/<link rel="preload"[^>]* href="([^"]+)"/g)].map((link) => link[1])
  for (const [url, ...addresses] of [
    ['/', '/api/user', '/api/media?page=1&amp;limit=50'],
    [
      '/?filter=images&search=%22sea%22&sort=name&page=2&pageSize=25&item=7',
      '/api/user',
      '/api/media?page=2&amp;limit=25&amp;sort=name&amp;search=%22sea%22&amp;type=image',
    ],
    ['/?tab=collections', '/api/user'],
    ['/?tool=duplicates', '/api/user'],
    ['/admin', '/api/user'],
    ['/auth'],
    ['/nonsense'],
  ] as const) {
    assert.deepEqual(preloadsOf((await ann.get(url)).body), addresses, url)
    assert.equal((await app.inject({ url })).body, page, 'a visitor is only offered the login')
  }
  const formerUser = { cookies: { albumen_session: 'ended' } }
  assert.equal((await app.inject({ url: '/', ...formerUser })).body, page)
})

test('an unknown path below /api, /files or /assets gets a 404 in JSON', async (context) => {
  const { app } = await withClient(context)
  const ofApi = ['/api', '/api/', '/api/nothing', '/api/user/storage/more']
  const ofAssets = ['/assets', '/assets/', '/assets/fonts', '/assets/fonts/', '/assets/old-1234.js']
  for (const url of [...ofApi, ...ofAssets, '/files']) {
    const answer = await app.inject({ url })
    assert.equal(answer.statusCode, 404, url)
    assert.deepEqual(answer.json(), { message: 'This URL was not found', code: 'not-found' })
  }
  const answer = await app.inject({ method: 'POST', url: '/auth' })
  assert.equal(answer.statusCode, 404)
  assert.equal(answer.json().code, 'not-found')
})

test('a request with a wrong method is told the allowed methods', async (context) => {
  const { app } = await withClient(context)
  for (const [method, url, allow] of [
    ['PUT', '/api/media', 'GET, HEAD'],
    ['GET', '/api/login?next=1', 'POST'],
    ['OPTIONS', '/api/collections/7', 'DELETE, GET, HEAD, PATCH'],
    ['HEAD', '/api/media/download/7', 'GET'],
    ['POST', '/files/1/abc/a.jpg', 'GET, HEAD'],
  ] as const) {
    const answer = await app.inject({ method, url })
    assert.deepEqual([answer.statusCode, answer.headers.allow], [405, allow], url)
    if (method !== 'HEAD') assert.equal(answer.json().message, `This URL accepts ${allow}, not ${method}.`)
  }
  for (const url of ['/api/collections//', '/api/collections/7/', '/assets/x', '/']) {
    assert.equal((await app.inject({ method: 'DELETE', url })).statusCode, 404, url)
  }
})

test('files with a hash in their name are cached for a year, others are revalidated', async (context) => {
  const { app } = await withClient(context)
  const hashed = await app.inject({ url: '/assets/index-4f2a.js' })
  assert.equal(hashed.body, script)
  assert.equal(hashed.headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.match(String(hashed.headers['content-type']), /^(text|application)\/javascript/)
  const theme = await app.inject({ url: '/theme.js' })
  assert.equal(theme.headers['cache-control'], 'no-cache')
  const again = await app.inject({ url: '/theme.js', headers: { 'if-none-match': String(theme.headers.etag) } })
  assert.equal(again.statusCode, 304)
})

test('files that were compressed at build time are sent as they are', async (context) => {
  const { app } = await withClient(context)
  const ask = (encoding: string) =>
    app.inject({ url: '/assets/index-4f2a.js', headers: { 'accept-encoding': encoding } })
  const brotli = await ask('gzip, deflate, br')
  assert.equal(brotli.headers['content-encoding'], 'br')
  assert.deepEqual(brotli.rawPayload, brotliCompressSync(script))
  assert.equal(brotli.headers['cache-control'], 'public, max-age=31536000, immutable')
  const gzip = await ask('gzip')
  assert.equal(gzip.headers['content-encoding'], 'gzip')
  assert.deepEqual(gzip.rawPayload, gzipSync(script))
  assert.equal((await ask('identity')).headers['content-encoding'], undefined)
})

test('pages have a content security policy that blocks foreign and inline scripts', async (context) => {
  const { app } = await withClient(context)
  for (const url of ['/', '/nonsense', '/api/docs', '/api/nothing', '/theme.js']) {
    const { headers } = await app.inject({ url })
    const policy = new Map(
      String(headers['content-security-policy'])
        .split(';')
        .map((directive) => directive.trim().split(' '))
        .map(([name, ...sources]) => [name, sources.join(' ')]),
    )
    assert.equal(policy.get('default-src'), "'none'", url)
    assert.equal(policy.get('script-src'), "'self'", url)
    assert.equal(policy.get('connect-src'), "'self'", url)
    assert.equal(policy.get('base-uri'), "'none'", url)
    assert.equal(policy.get('frame-ancestors'), "'self'", url)
    assert.equal(headers['x-content-type-options'], 'nosniff', url)
    assert.equal(headers['referrer-policy'], 'strict-origin-when-cross-origin', url)
    assert.equal(headers['access-control-allow-origin'], undefined, 'no other website may read')
  }
})

test('without a built client the server runs and says what to do', async (context) => {
  const { app } = await testApp(context, {}, { clientDir: join(tmpdir(), 'albumen-nothing-was-built') })
  const answer = await app.inject({ url: '/' })
  assert.equal(answer.statusCode, 503)
  assert.match(answer.body, /npm run build/)
  assert.equal((await app.inject({ url: '/api/health' })).statusCode, 200)
})
