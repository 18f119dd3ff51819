import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultRenderLimits } from '#engines/web/render/render-limits.ts'
import { findChromium } from '#tests/support/browser-binary.ts'
import { disableTimeouts } from '#tests/support/disable-timeouts.ts'
import { fakeWeb } from '#tests/support/fake-web.ts'
import { makeJpeg, makeWebp } from '#tests/support/pictures.ts'
import { testApp } from '#tests/support/test-app.ts'
import { until } from '#tests/support/until.ts'
import { auditOf, badPage, countsOf, finishAudit, picturesOf } from './audits.fixture.ts'
import { tidyAudits } from './audits.ts'

test('an audit says of every picture of a page what is wrong, the worst first', async (context) => {
  disableTimeouts(context)
  const web = await fakeWeb(context)
  const { url, heavy } = await badPage(web)
  const product = await testApp(context, web.settings)
  const ann = await product.register()
  const audit = await finishAudit(product, ann, { urls: [url] })
  assert.deepEqual([audit.status, audit.website, audit.measuring], ['ended', web.pair, null])
  assert.deepEqual(countsOf(audit.progress), { done: 1, failed: 0, total: 1, isRunning: false })
  const [page] = audit.pages
  assert.deepEqual([page!.state, page!.title, page!.pictureCount, page!.problemCount], ['done', 'The port', 5, 3])
  const pictures = await picturesOf(ann, audit.id)
  assert.deepEqual(
    pictures.map(({ url, problems }) => [url.slice(web.origin.length), problems]),
    [
      ['/IMG_1234.jpg', ['too-large', 'no-alt', 'heavy', 'old-format', 'bad-name']],
      ['/red%20boat.jpg', ['old-format', 'file-name-alt', 'bad-name']],
      ['/0f3a9c1b2d4e5f60.jpg', ['no-dimensions', 'bad-name']],
      ['/harbour-at-dawn.webp', []],
      ['/gone.jpg', []],
    ],
  )
  const [worst] = pictures
  assert.deepEqual(
    [worst!.bytes, worst!.width, worst!.height, worst!.shownWidth, worst!.format, worst!.alt, worst!.mediaId],
    [heavy.length, 1200, 800, 300, 'jpeg', null, null],
  )
  assert.deepEqual([audit.totals.pictures, audit.totals.withProblems], [5, 3])
  assert.equal(audit.totals.problems['bad-name'], 3)
  assert.equal((await ann.get(worst!.previewUrl)).statusCode, 200)
  const heavyOnes = await picturesOf(ann, audit.id, 'problem=heavy&onPage=0')
  assert.deepEqual(
    heavyOnes.map(({ key }) => key),
    [worst!.key],
  )
  const second = (await ann.get(`/api/audits/${audit.id}/pictures?limit=2&page=2`)).json()
  assert.deepEqual([second.totalCount, second.pictures.length], [5, 2])
})

test('a rendered page tells how large its CSS shows a picture, and what lies below the fold', async (context) => {
  disableTimeouts(context)
  for (const name of ['startMs', 'pageMs'] as const) context.mock.property(defaultRenderLimits, name, 120_000)
  const web = await fakeWeb(context)
  web.file('/boat.webp', await makeWebp({ width: 400, height: 300 }), 'image/webp')
  web.file('/quay.webp', await makeWebp({ width: 300, height: 200 }), 'image/webp')
  web.file('/page.css', Buffer.from('.small { width: 150px } .space { height: 3000px }'), 'text/css')
  const url = web.page(
    '/',
    `<title>Port</title><link rel="stylesheet" href="/page.css"><img class="small" src="/boat.webp" alt="A boat">
    <div class="space"></div><img class="small" src="/quay.webp" alt="The quay" style="height: 100px">`,
  )
  const settings = { ...web.settings, SCRAPER_RENDER: '1', CHROMIUM_PATH: await findChromium() }
  const product = await testApp(context, settings)
  const ann = await product.register()
  const { id } = await finishAudit(product, ann, { urls: [url] })
  const pictures = await picturesOf(ann, id)
  assert.deepEqual(
    pictures.map(({ fileName, shownWidth, problems }) => [fileName, shownWidth, problems]),
    [
      ['boat.webp', 150, ['too-large', 'no-dimensions']],
      ['quay.webp', 150, ['not-lazy']],
    ],
  )
})

test('pages of a sitemap are audited together, a broken one by itself, and shared pictures count once', async (context) => {
  const web = await fakeWeb(context)
  web.file('/logo.jpg', await makeJpeg())
  web.file('/own.jpg', await makeJpeg())
  const one = web.page('/one', '<title>One</title><img src="/logo.jpg" alt="Logo">')
  const two = web.page('/two', '<title>Two</title><img src="/own.jpg"><img src="/logo.jpg">')
  const pages = [one, two, `${web.origin}/nowhere`, 'https://elsewhere.example/']
  const xml = (inner: string[]) => Buffer.from(inner.join(''))
  const nested = web.file(
    '/posts.xml',
    xml(['<urlset>', ...pages.map((url) => `<url><loc>${url}</loc></url>`), '</urlset>']),
    'application/xml',
  )
  const sitemapUrl = web.file(
    '/sitemap.xml',
    xml([`<sitemapindex><sitemap><loc>${nested}</loc></sitemap></sitemapindex>`]),
    'text/xml',
  )
  const product = await testApp(context, web.settings)
  const ann = await product.register()
  const audit = await finishAudit(product, ann, { sitemapUrl })
  assert.deepEqual(
    audit.pages.map(({ url, state, pictureCount, error }) => [url, state, pictureCount, error]),
    [
      [one, 'done', 1, null],
      [two, 'done', 2, null],
      [`${web.origin}/nowhere`, 'failed', 0, 'Nothing was found at this URL (404).'],
    ],
  )
  assert.deepEqual(countsOf(audit.progress), { done: 3, failed: 1, total: 3, isRunning: false })
  assert.equal(audit.totals.pictures, 2)
  const pictures = await picturesOf(ann, audit.id)
  const logo = pictures.find(({ url }) => url.endsWith('logo.jpg'))!
  assert.deepEqual([logo.pages, logo.problems.includes('no-alt')], [[0, 1], true])
  assert.equal(web.hits.filter((path) => path === '/logo.jpg').length, 1, 'it is requested once')
})

test('bad lists and sitemaps are refused with a sentence, and nothing is started', async (context) => {
  const web = await fakeWeb(context)
  const page = web.page('/', '<title>Port</title>')
  const bomb =
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><urlset><url><loc>&c;</loc></url></urlset>'
  const sitemap = (path: string, xml: string) => web.file(path, Buffer.from(xml), 'application/xml')
  const { register } = await testApp(context, web.settings)
  const ann = await register()
  const cases: [object, number, RegExp][] = [
    [{}, 400, /Enter the addresses of the pages/],
    [{ urls: ['', ' '] }, 400, /Enter the addresses of the pages/],
    [{ urls: [page, 'not an address'] }, 400, /"not an address" is not an HTTP or HTTPS URL/],
    [{ urls: [page, 'https://elsewhere.example/'] }, 400, /must be on one website/],
    [{ urls: Array.from({ length: 51 }, (_, n) => `${page}?${n}`) }, 400, /up to 50 pages/],
    [{ urls: [page], sitemapUrl: page }, 400, /not both/],
    [{ sitemapUrl: 'ftp://a.example/' }, 400, /is not an HTTP or HTTPS URL/],
    [{ sitemapUrl: page }, 415, /not an XML sitemap/],
    [{ sitemapUrl: sitemap('/bomb.xml', bomb) }, 415, /declares a document type or entities/],
    [{ sitemapUrl: sitemap('/empty.xml', '<urlset></urlset>') }, 400, /names no pages/],
    [
      { sitemapUrl: sitemap('/other.xml', '<urlset><url><loc>https://b.example/</loc></url></urlset>') },
      400,
      /own website/,
    ],
    [{ sitemapUrl: `${web.origin}/gone.xml` }, 422, /Nothing was found/],
    [{ sitemapUrl: 'http://169.254.169.254/sitemap.xml' }, 422, /could not be reached/],
  ]
  for (const [body, status, message] of cases) {
    const answer = await ann.post('/api/audits', body)
    assert.equal(answer.statusCode, status, answer.body)
    assert.match(answer.json().message, message)
  }
  assert.deepEqual((await ann.get('/api/audits')).json(), { audits: [] })
})

test('a page that leads into the network is not read, and its inner pictures are not listed', async (context) => {
  const [web, inner] = [await fakeWeb(context), await fakeWeb(context)]
  const secret = inner.file('/camera.jpg', await makeJpeg())
  const pair = web.pair.replace('127.0.0.1', 'localhost')
  const page = web.page('/', `<img src="${secret}" alt="x">`).replace(web.pair, pair)
  const away = web.answer('/away', (_request, response) =>
    response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
  )
  const product = await testApp(context, { SCRAPER_ALLOW_HOSTS: `${pair},${inner.pair}` })
  const ann = await product.register()
  const audit = await finishAudit(product, ann, { urls: [page, away.replace(web.pair, pair)] })
  assert.deepEqual(
    audit.pages.map(({ state, pictureCount }) => [state, pictureCount]),
    [
      ['done', 0],
      ['failed', 0],
    ],
  )
  assert.deepEqual(inner.hits, [])
})

test('an audit is stopped after the current pages, keeps what is done, and can be resumed', async (context) => {
  const web = await fakeWeb(context)
  const allowed = Promise.withResolvers<void>()
  const held = (path: string) =>
    web.answer(path, async (_request, response) => {
      await allowed.promise
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Held</title><img src="/a.jpg">')
    })
  const urls = ['/1', '/2', '/3', '/4'].map(held)
  const product = await testApp(context, web.settings)
  const ann = await product.register()
  const { id } = (await ann.post('/api/audits', { urls })).json()
  await until('two pages are requested', () => web.hits.length === 2)
  assert.equal((await ann.post(`/api/audits/${id}/resume`)).statusCode, 409)
  const stopped = await ann.post(`/api/audits/${id}/stop`)
  assert.equal(stopped.json().message, 'Stopping. The current pages are still checked.')
  allowed.resolve()
  await product.settled()
  const between = await auditOf(ann, id)
  assert.deepEqual([between.status, between.progress.done, web.hits.includes('/3')], ['stopped', 2, false])
  assert.equal((await ann.post(`/api/audits/${id}/stop`)).statusCode, 409)
  assert.equal((await ann.post(`/api/audits/${id}/resume`)).json().progress.isRunning, true)
  await product.settled()
  const whole = await auditOf(ann, id)
  assert.deepEqual([whole.status, whole.progress.done, whole.totals.pictures], ['ended', 4, 1])
})

test('three audits run at once for one user, and a fourth is refused', async (context) => {
  const web = await fakeWeb(context)
  const allowed = Promise.withResolvers<void>()
  const page = web.answer('/', async (_request, response) => {
    await allowed.promise
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Held</title>')
  })
  const product = await testApp(context, web.settings)
  const [ann, ben] = [await product.register(), await product.register()]
  const start = async (user = ann) => (await user.post('/api/audits', { urls: [page] })).statusCode
  const statuses = [await start(), await start(), await start(), await start(), await start(ben)]
  assert.deepEqual(statuses, [201, 201, 201, 409, 201])
  allowed.resolve()
})

test('an audit and its measurings are gone after a day, and newer ones stay', async (context) => {
  const web = await fakeWeb(context)
  web.file('/a.jpg', await makeJpeg())
  const url = web.page('/', '<title>Port</title><img src="/a.jpg">')
  const product = await testApp(context, web.settings)
  const ann = await product.register()
  const [old, recent] = [
    await finishAudit(product, ann, { urls: [url] }),
    await finishAudit(product, ann, { urls: [url] }),
  ]
  await ann.post(`/api/audits/${old.id}/measure`, { pictures: ['0-0'] })
  await product.settled()
  const { db } = product.services
  const yesterday = Date.now() - 25 * 3600_000
  await db.updateTable('runs').set({ updated_at: yesterday }).where('id', '!=', recent.id).execute()
  assert.deepEqual(
    (await ann.get('/api/audits')).json().audits.map(({ id }: { id: number }) => id),
    [recent.id],
  )
  await tidyAudits(db)
  assert.equal((await ann.get(`/api/audits/${old.id}`)).statusCode, 404)
  assert.equal((await ann.get(`/api/audits/${recent.id}`)).statusCode, 200)
  assert.equal((await db.selectFrom('runs').select('id').execute()).length, 1)
})

test('another user’s audit is not found by any call', async (context) => {
  const web = await fakeWeb(context)
  const url = web.page('/', '<title>Port</title><img src="/a.jpg">')
  const product = await testApp(context, web.settings)
  const [ann, ben] = [await product.register(), await product.register()]
  const { id } = await finishAudit(product, ann, { urls: [url] })
  const pictures = { pictures: ['0-0'] }
  const answers = await Promise.all([
    ben.get(`/api/audits/${id}`),
    ben.get(`/api/audits/${id}/pictures`),
    ben.get(`/api/audits/${id}/report.pdf`),
    ben.get(`/api/audits/${id}/files.zip?pictures=0-0`),
    ben.post(`/api/audits/${id}/stop`),
    ben.post(`/api/audits/${id}/resume`),
    ben.post(`/api/audits/${id}/measure`, pictures),
    ben.post(`/api/audits/${id}/import`, pictures),
  ])
  for (const answer of answers) assert.deepEqual([answer.statusCode, answer.json().message], [404, 'Audit not found'])
  assert.deepEqual((await ben.get('/api/audits')).json(), { audits: [] })
})
