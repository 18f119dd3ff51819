import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { untrustedCertificate } from '#engines/web/test-certificate.ts'
import { openSite } from '#engines/web/test-site.ts'
import { chunksOf } from '#shared/chunks.ts'
import { watchConnections } from '#tests/support/connection-attempts.ts'
import { disableTimeouts } from '#tests/support/disable-timeouts.ts'
import { type FakeWeb, fakeWeb } from '#tests/support/fake-web.ts'
import { forbiddenHosts, localNames } from '#tests/support/forbidden-hosts.ts'
import { makeJpeg, makePng, makeWebp } from '#tests/support/pictures.ts'
import { testApp } from '#tests/support/test-app.ts'
import { until } from '#tests/support/until.ts'
import type { ScrapePreview } from '../contract.ts'
import { insertFinds } from './store.ts'

test('a page’s images are found, named, measured and described', async (context) => {
  disableTimeouts(context)
  const web = await fakeWeb(context)
  const jpeg = await makeJpeg({ width: 320, height: 200 })
  web.file('/img/harbour-1600.jpg', jpeg)
  web.file('/img/plan.png', await makePng({ width: 90, height: 50 }), 'image/png')
  web.file('/img/x.webp', await makeWebp({ width: 33, height: 44 }), 'image/webp')
  const url = web.page(
    '/port',
    `<title>The old port</title><h2>Boats</h2>
    <figure><img src="/img/harbour-400.jpg" srcset="/img/harbour-400.jpg 400w, /img/harbour-1600.jpg 1600w" alt="Boats at dawn">
    <figcaption>Fishing boats leaving the harbour</figcaption></figure>
    <img src="/img/plan.png" alt="Boats at dawn"><img src="/img/x.webp"><img src="/img/gone.gif" width="50" height="40">`,
  )
  const { register } = await testApp(context, web.settings)
  const ann = await register()
  const answer = await ann.post('/api/scrape-preview', { url, unknown: 'dropped' })
  assert.equal(answer.statusCode, 200)
  const preview: ScrapePreview = answer.json()
  assert.deepEqual([preview.pageUrl, preview.pageTitle, preview.totalFound], [url, 'The old port', 4])
  assert.equal(preview.hint, undefined)
  const [harbour, plan, unnamed, gone] = preview.images
  assert.equal(harbour!.originalUrl, `${web.origin}/img/harbour-1600.jpg`)
  assert.deepEqual(harbour!.alternatives, [`${web.origin}/img/harbour-400.jpg`])
  assert.equal(harbour!.alt, 'Boats at dawn')
  assert.equal(harbour!.context, 'Fishing boats leaving the harbour')
  assert.deepEqual([harbour!.width, harbour!.height, harbour!.bytes], [320, 200, jpeg.length])
  assert.deepEqual([plan!.width, plan!.height], [90, 50])
  assert.deepEqual([unnamed!.width, unnamed!.height], [33, 44])
  assert.deepEqual(
    [gone!.width, gone!.height, gone!.bytes],
    [50, 40, undefined],
    "the page's own values when the image cannot be fetched",
  )
  const names = preview.images.map(({ intelligentName }) => intelligentName)
  assert.equal(new Set(names.map((name) => name.toLowerCase())).size, 4, names.join())
  assert.equal(new Set(preview.images.map(({ id }) => id)).size, 4)
  assert.deepEqual(
    preview.images.map(({ isInLibrary }) => isInLibrary),
    [false, false, false, false],
  )
})

test('images of an allowed inner host are neither requested nor offered on a page of another host', async (context) => {
  const [site, inner] = [await fakeWeb(context), await fakeWeb(context)]
  const secret = inner.file('/camera.jpg', await makeJpeg())
  const pair = site.pair.replace('127.0.0.1', 'localhost')
  const shown = site.file('/boat.jpg', await makeJpeg()).replace(site.pair, pair)
  const moved = site.answer('/moved.jpg', (_request, response) => response.writeHead(302, { location: secret }).end())
  const page = site.page('/', `<title>Trap</title><img src="${secret}"><img src="/boat.jpg"><img src="/moved.jpg">`)
  const { register } = await testApp(context, { SCRAPER_ALLOW_HOSTS: `${pair},${inner.pair}` })
  const ann = await register()
  const url = page.replace(site.pair, pair)
  const preview: ScrapePreview = (await ann.post('/api/scrape-preview', { url })).json()
  const offered = preview.images.map(({ originalUrl }) => originalUrl)
  assert.deepEqual(offered, [shown, moved.replace(site.pair, pair)])
  for (const { previewUrl } of preview.images) await ann.get(previewUrl)
  assert.equal((await ann.get(`/api/scrape-image?url=${encodeURIComponent(secret)}`)).statusCode, 404)
  const selectedImages = [{ ...preview.images[0], originalUrl: secret }, preview.images[1]]
  await ann.post('/api/scrape-upload', { selectedImages, pageUrl: preview.pageUrl })
  assert.deepEqual(inner.hits, [])
  const typed = await ann.post('/api/upload-from-urls', { urls: [secret] })
  assert.match(typed.body, /"successCount":1/)
})

test('a tracking pixel is not offered, even when only its bytes reveal it', async (context) => {
  disableTimeouts(context)
  const web = await fakeWeb(context)
  web.file('/boat.jpg', await makeJpeg())
  web.file('/line.png', await makePng({ width: 40, height: 1 }), 'image/png')
  web.file('/hit', await makePng({ width: 1, height: 1 }), 'image/png')
  const { register } = await testApp(context, web.settings)
  const url = web.page('/', '<title>Counted</title><img src="/hit"><img src="/boat.jpg"><img src="/line.png">')
  const preview: ScrapePreview = (await (await register()).post('/api/scrape-preview', { url })).json()
  assert.deepEqual(
    preview.images.map(({ originalUrl }) => originalUrl),
    [`${web.origin}/boat.jpg`, `${web.origin}/line.png`],
  )
  assert.equal(preview.totalFound, 2)
})

test('an image in a data URI is offered with its own bytes', async (context) => {
  const web = await fakeWeb(context)
  const uri = `data:image/png;base64,${(await makePng({ width: 40, height: 30 })).toString('base64')}`
  const { register } = await testApp(context, web.settings)
  const url = web.page('/', `<title>Inside</title><img src="${uri}" alt="Drawn here">`)
  const preview: ScrapePreview = (await (await register()).post('/api/scrape-preview', { url })).json()
  const [image] = preview.images
  assert.deepEqual([image!.originalUrl, image!.previewUrl, image!.width, image!.height], [uri, uri, 40, 30])
})

test('a page rendered by scripts gets a hint, an empty page does not', async (context) => {
  const web = await fakeWeb(context)
  const scripted = web.page('/app', '<title>App</title><div id="root"></div><script src="/app.js"></script>')
  const plain = web.page('/text', '<title>Text</title><p>Only words here, and nothing to look at.</p>')
  const { register } = await testApp(context, web.settings)
  const ann = await register()
  const hinted: ScrapePreview = (await ann.post('/api/scrape-preview', { url: scripted })).json()
  assert.match(hinted.hint!, /JavaScript/)
  const empty: ScrapePreview = (await ann.post('/api/scrape-preview', { url: plain })).json()
  assert.deepEqual([empty.totalFound, empty.images, empty.hint], [0, [], undefined])
})

test('each reason why a page cannot be read has its own message', async (context) => {
  const web = await fakeWeb(context)
  web.file('/photo.jpg', await makeJpeg())
  web.answer('/broken', (_request, response) => response.writeHead(500).end('secret stack trace'))
  web.answer('/loop', (_request, response) => response.writeHead(302, { location: '/loop' }).end())
  web.answer('/inside', (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end())
  web.answer('/cut', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-length': 5000 }).write('<p>')
    setImmediate(() => response.destroy())
  })
  web.answer('/bomb', (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
      .end(gzipSync(Buffer.alloc(40 * 1024 ** 2, ' '))),
  )
  web.answer('/endless', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    const more = () => response.write(Buffer.alloc(1024 ** 2, ' '), () => response.destroyed || setImmediate(more))
    more()
  })
  await using secure = await openSite((_request, response) => void response.end('<p>'), untrustedCertificate)
  const { register } = await testApp(context, { SCRAPER_ALLOW_HOSTS: `${web.pair},${secure.pair}` })
  const ann = await register()
  const unreachable = 'This URL could not be reached. Please check that it is correct and public.'
  const invalid = 'Please enter a valid HTTP or HTTPS URL'
  const cases: [unknown, number, string][] = [
    ['', 400, 'Please enter a valid webpage URL'],
    ['   ', 400, 'Please enter a valid webpage URL'],
    [undefined, 400, 'url: Please enter a valid webpage URL'],
    [7, 400, 'url: Please enter a valid webpage URL'],
    ['example.com', 400, invalid],
    ['ftp://example.com/', 400, invalid],
    ['javascript:alert(1)', 400, invalid],
    ['file:///etc/passwd', 400, invalid],
    ['http://', 400, invalid],
    [`http://example.com/${'x'.repeat(9000)}`, 400, invalid],
    ['http://ann:secret@example.com/', 400, 'URLs with a username or password are not accepted.'],
    ['http://example.com:6379/', 400, 'Only ports 80 and 443 are accepted.'],
    ['http://nothing.invalid/', 422, unreachable],
    [`${web.origin}/inside`, 422, unreachable],
    [`${web.origin}/nowhere`, 422, 'Nothing was found at this URL (404).'],
    [`${web.origin}/broken`, 422, 'The site returned an error (500). Please try again later.'],
    [`${web.origin}/loop`, 422, 'Too many redirects. Please check the URL.'],
    [`${web.origin}/photo.jpg`, 415, 'This URL leads to a file, not a webpage.'],
    [`${web.origin}/bomb`, 413, 'The page is larger than 15 MB.'],
    [`${web.origin}/endless`, 413, 'The page is larger than 15 MB.'],
    [`${secure.origin}/`, 422, "The site's security certificate is not valid."],
    [`${web.origin}/cut`, 422, 'The connection was interrupted. Please try again.'],
  ]
  for (const [url, status, message] of cases) {
    const answer = await ann.post('/api/scrape-preview', { url })
    assert.deepEqual([answer.statusCode, answer.json().message], [status, message], String(url).slice(0, 80))
  }
})

test('private addresses are never requested, in any notation and by any call', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const addresses = [...forbiddenHosts, ...localNames].map((host, index) => `http://${host}/${index}.jpg`)
  const attempts = watchConnections(context)
  const refusals = new Set<string>()

  // As if a preview had found them.
  await insertFinds(services.db, ann.id, addresses)
  for (const url of addresses) {
    const answers = [
      await ann.post('/api/scrape-preview', { url }),
      await ann.get(`/api/scrape-image?url=${encodeURIComponent(url)}`),
    ]
    for (const { statusCode, body } of answers) refusals.add(`${statusCode} ${JSON.parse(body).message}`)
  }
  await ann.post('/api/upload-from-urls', { urls: addresses })
  await ann.post('/api/scrape-upload', {
    selectedImages: [...chunksOf(addresses, 30)].map(([originalUrl, ...alternatives]) => ({
      originalUrl,
      alternatives,
    })),
  })
  const items = await services.db.selectFrom('run_items').select('error').execute()
  assert.equal(items.length, addresses.length + Math.ceil(addresses.length / 30))
  for (const { error } of items) refusals.add(`422 ${error}`)
  assert.deepEqual([...refusals], ['422 This URL could not be reached. Please check that it is correct and public.'])
  assert.deepEqual(attempts, [])
})

test('ten thousand images of the same name each get a unique name', async (context) => {
  const web = await fakeWeb(context)
  const images = Array.from(
    { length: 10_000 },
    (_, index) => `<img src="https://127.0.0.1/${index}.jpg" alt="Red shoe">`,
  )
  const url = web.page('/many', `<title>Shoes</title>${images.join('')}`)
  const { register } = await testApp(context, web.settings)
  const answer = await (await register()).post('/api/scrape-preview', { url })
  const preview: ScrapePreview = answer.json()
  assert.equal(preview.totalFound, 10_000)
  assert.equal(new Set(preview.images.map(({ intelligentName }) => intelligentName)).size, 10_000)
})

test('previews are rate-limited per user', async (context) => {
  const web = await fakeWeb(context)
  const url = web.page('/', '<title>Page</title>')
  const { register, services } = await testApp(context, web.settings)
  const [ann, ben] = [await register(), await register()]
  const limit = { name: `scrape-preview:${ann.id}`, count: 119, resets_at: Date.now() + 60_000 }
  await services.db.insertInto('attempts').values(limit).execute()
  assert.equal((await ann.post('/api/scrape-preview', { url })).statusCode, 200)
  const refused = await ann.post('/api/scrape-preview', { url })
  assert.equal(refused.statusCode, 429)
  assert.ok(refused.headers['retry-after'])
  assert.equal((await ben.post('/api/scrape-preview', { url })).statusCode, 200)
})

test('four pages of one user are read at once, and other users do not wait for them', async (context) => {
  const [one, other] = [await fakeWeb(context), await fakeWeb(context)]
  const held: (() => void)[] = []
  const hold = (web: FakeWeb, path: string) =>
    web.answer(path, (_request, response) => {
      const type = { 'content-type': 'text/html' }
      held.push(() => response.writeHead(200, type).end('<title>Slow</title>'))
    })
  // By two names, since connections are limited to four per host.
  const [pair, name] = [other.pair, other.pair.replace('127.0.0.1', 'localhost')]
  const slow = ['/1', '/2', '/3'].flatMap((path) => [hold(one, path), hold(other, path).replace(pair, name)])
  const quick = other.page('/', '<title>Quick</title>').replace(pair, name)
  const { register } = await testApp(context, { SCRAPER_ALLOW_HOSTS: `${one.pair},${name}` })
  const [ann, ben] = [await register(), await register()]
  const waiting = slow.map((url) => ann.post('/api/scrape-preview', { url }))
  await until('four are asked for', () => held.length >= 4)
  assert.equal((await ben.post('/api/scrape-preview', { url: quick })).statusCode, 200)
  assert.equal(held.length, 4)
  for (const url of slow) {
    await until(`${url} or one before it is asked for`, () => held.length > 0)
    held.shift()!()
  }
  for (const answer of await Promise.all(waiting)) assert.equal(answer.statusCode, 200)
})

test('images on pages of well-known site builders are found with unique names', async (context) => {
  const web = await fakeWeb(context)
  const fixtures = new URL('../../../engines/web/find-images/fixtures/', import.meta.url)
  const { register } = await testApp(context, web.settings)
  const ann = await register()
  for (const name of await readdir(fixtures)) {
    const url = web.page(`/${name}`, await readFile(new URL(name, fixtures), 'utf8'))
    const preview: ScrapePreview = (await ann.post('/api/scrape-preview', { url })).json()
    const names = preview.images.map(({ intelligentName }) => intelligentName.toLowerCase())
    assert.ok(preview.totalFound > 0 && new Set(names).size === preview.totalFound, `${name}: ${names.join(', ')}`)
    assert.ok(
      names.every((given) => given.length > 0 && given.length <= 90),
      names.join(', '),
    )
  }
})
