import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { eventsOf } from '#tests/support/event-stream.ts'
import { fakeWeb } from '#tests/support/fake-web.ts'
import { makeJpeg, makePng } from '#tests/support/pictures.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import type { RunProgress, ScrapePreview } from '../contract.ts'

const mediaOf = async (user: TestUser) => (await user.get('/api/media?sort=name')).json().media
const currentRun = async (user: TestUser) => (await user.get('/api/scrape-runs/current')).json().run
const last = (text: string) => eventsOf<RunProgress>(text).at(-1)!
const sourcesOf = async ({ services }: TestApp) =>
  (await services.db.selectFrom('media').select('source').orderBy('id').execute()).map(({ source }) =>
    JSON.parse(source!),
  )

test('selected images arrive in the library under their names, with where they came from', async (context) => {
  const web = await fakeWeb(context)
  web.file('/boats.jpg', await makeJpeg())
  web.file('/plan.png', await makePng(), 'image/png')
  const url = web.page(
    '/',
    '<title>Port</title><figure><img src="/boats.jpg" alt="Boats at dawn"><figcaption>The fleet</figcaption></figure><img src="/plan.png" alt="Map of the quay">',
  )
  const product = await testApp(context, web.settings)
  const ann = await product.register()
  const preview: ScrapePreview = (await ann.post('/api/scrape-preview', { url })).json()
  const answer = await ann.post('/api/scrape-upload', { selectedImages: preview.images, pageUrl: preview.pageUrl })
  assert.equal(answer.statusCode, 200)
  assert.match(String(answer.headers['content-type']), /^text\/event-stream/)
  const events = eventsOf<RunProgress>(answer.body)
  assert.deepEqual(
    events.map(({ step, current, total }) => [step, current, total]),
    [
      ['starting', 0, 2],
      ['processing', 1, 2],
      ['processing', 2, 2],
      ['complete', 2, 2],
    ],
  )
  assert.deepEqual(events.at(-1)!.results, { successCount: 2, errorCount: 0 })
  assert.ok(events.every(({ message }) => message.length > 0))
  const expected = preview.images.map(({ intelligentName }) => intelligentName).sort()
  const media = await mediaOf(ann)
  assert.deepEqual(
    media.map(({ filename }: { filename: string }) => filename.replace(/\.(jpg|png)$/, '')),
    expected,
  )
  assert.ok(media.every(({ userDescription }: { userDescription: string | null }) => userDescription === null))
  const boats = (await sourcesOf(product)).find(({ alt }) => alt === 'Boats at dawn')
  assert.deepEqual(boats, {
    pageUrl: url,
    address: `${web.origin}/boats.jpg`,
    alt: 'Boats at dawn',
    context: 'The fleet',
  })
  const again: ScrapePreview = (await ann.post('/api/scrape-preview', { url })).json()
  assert.deepEqual(
    again.images.map(({ isInLibrary }) => isInLibrary),
    [true, true],
  )
})

test('addresses are uploaded under the names they end with; what is no address is passed over', async (context) => {
  const web = await fakeWeb(context)
  web.file('/a/sea%20view.jpg', await makeJpeg())
  web.file('/image.php', await makePng(), 'image/png')
  const { register } = await testApp(context, web.settings)
  const ann = await register()
  const urls = [
    '',
    '  ',
    'nonsense',
    'ftp://x.test/y.jpg',
    ` ${web.origin}/a/sea%20view.jpg `,
    `${web.origin}/image.php?id=5`,
  ]
  const { results, total } = last((await ann.post('/api/upload-from-urls', { urls })).body)
  assert.deepEqual([total, results], [2, { successCount: 2, errorCount: 0 }])
  assert.deepEqual(
    (await mediaOf(ann)).map(({ filename }: { filename: string }) => filename),
    ['image.png', 'sea view.jpg'],
  )
})

test('one bad image stops no other; each tells its reason, leaves nothing behind, and can be tried again', async (context) => {
  const web = await fakeWeb(context)
  const html = Buffer.from('<!doctype html><title>Sorry</title>')
  const jpeg = await makeJpeg()
  const whole = { 'content-type': 'image/jpeg', 'content-length': jpeg.length }
  web.file('/good.jpg', jpeg)
  web.file('/page.jpg', html)
  web.file('/drawing.jpg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))
  web.file('/empty.jpg', Buffer.alloc(0))
  web.file('/torn.jpg', jpeg.subarray(0, jpeg.length / 2))
  web.answer('/huge.jpg', (_request, response) =>
    response.writeHead(200, { 'content-length': 600 * 1024 ** 2 }).write('x'),
  )
  web.answer('/cut.jpg', (_request, response) => {
    response.writeHead(200, whole).write(jpeg.subarray(0, 100))
    setImmediate(() => response.destroy())
  })
  web.answer('/inside.jpg', (_request, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end())
  const names = ['good', 'page', 'drawing', 'empty', 'torn', 'huge', 'cut', 'inside', 'gone']
  const { register, directory } = await testApp(context, web.settings)
  const ann = await register()
  const answer = await ann.post('/api/upload-from-urls', { urls: names.map((name) => `${web.origin}/${name}.jpg`) })
  const { step, results } = last(answer.body)
  assert.deepEqual([step, results], ['complete', { successCount: 1, errorCount: 8 }])
  const run = await currentRun(ann)
  assert.deepEqual([run.isComplete, run.total, run.successCount, run.errorCount], [true, 9, 1, 8])
  const unsupported = /^This is not an image or video that can be kept here\./
  const reasons: Record<string, RegExp> = {
    page: /^The address leads to a web page, not to an image or a video\.$/,
    drawing: unsupported,
    empty: /^The file is empty\.$/,
    torn: /damaged|could not be read|incomplete/i,
    huge: /^The file is larger than 500 MB\.$/,
    cut: /^The connection broke off before everything had arrived\.$/,
    inside: /^The address could not be reached\./,
    gone: /^There is nothing at this address \(404\)\.$/,
  }
  assert.equal(run.failed.length, 8)
  for (const { name, message } of run.failed) assert.match(message, reasons[name.replace('.jpg', '')]!, name)
  assert.deepEqual(await readdir(`${directory}/tmp`), [])
  assert.equal((await mediaOf(ann)).length, 1)

  web.file('/gone.jpg', await makeJpeg())
  const retried = last((await ann.post('/api/scrape-runs/retry', { runId: run.id })).body)
  assert.deepEqual([retried.total, retried.results], [8, { successCount: 1, errorCount: 7 }])
  assert.equal((await mediaOf(ann)).length, 2)
  assert.equal((await currentRun(ann)).id, retried.runId, 'the new run is shown, the old one no more')
})

test('when the largest version cannot be had, the next one is taken', async (context) => {
  const web = await fakeWeb(context)
  web.file('/small.jpg', await makeJpeg())
  const image = {
    originalUrl: `${web.origin}/large.jpg`,
    alternatives: ['nonsense', `${web.origin}/medium.jpg`, `${web.origin}/small.jpg`],
    intelligentName: 'Lighthouse',
  }
  const product = await testApp(context, web.settings)
  const ann = await product.register()
  const body = { selectedImages: [image], pageUrl: `${web.origin}/` }
  assert.deepEqual(last((await ann.post('/api/scrape-upload', body)).body).results, { successCount: 1, errorCount: 0 })
  assert.deepEqual(web.hits, ['/large.jpg', '/medium.jpg', '/small.jpg'])
  assert.equal((await mediaOf(ann))[0].filename, 'Lighthouse.jpg')
  assert.equal((await sourcesOf(product))[0].address, image.originalUrl)
})

test('a picture inside the page is uploaded without asking anybody for it', async (context) => {
  const web = await fakeWeb(context)
  const originalUrl = `data:image/png;base64,${(await makePng({ width: 40, height: 30 })).toString('base64')}`
  const product = await testApp(context, web.settings)
  const ann = await product.register()
  const body = { selectedImages: [{ originalUrl, intelligentName: 'Drawn here' }], pageUrl: `${web.origin}/page` }
  for (const expected of [1, 1]) {
    assert.equal(last((await ann.post('/api/scrape-upload', body)).body).results.successCount, 1)
    assert.equal((await mediaOf(ann)).length, expected)
  }
  assert.deepEqual(web.hits, [])
  assert.match((await sourcesOf(product))[0].address, /\/page#embedded-[0-9a-f]{16}$/)
})

test('the same address is taken once, in one request, in two, and in two at the same moment', async (context) => {
  const web = await fakeWeb(context)
  const jpeg = await makeJpeg()
  const a = web.file('/a.jpg', jpeg)
  const { register } = await testApp(context, web.settings)
  const ann = await register()
  const first = last((await ann.post('/api/upload-from-urls', { urls: [a, a, `${a}#top`] })).body)
  assert.deepEqual([first.total, first.results], [1, { successCount: 1, errorCount: 0 }])
  await Promise.all([1, 2].map(() => ann.post('/api/upload-from-urls', { urls: [a] })))
  assert.equal((await mediaOf(ann)).length, 1)

  const other = await makeJpeg()
  const askers: (() => void)[] = []
  const b = web.answer('/b.jpg', (_request, response) => {
    // Nobody gets it before everybody has asked.
    askers.push(() => response.writeHead(200, { 'content-type': 'image/jpeg' }).end(other))
    if (askers.length === 2) for (const answer of askers) answer()
  })
  const answers = await Promise.all([1, 2].map(() => ann.post('/api/upload-from-urls', { urls: [b] })))
  for (const { body } of answers) assert.deepEqual(last(body).results, { successCount: 1, errorCount: 0 })
  assert.equal((await mediaOf(ann)).length, 2)

  const sameBytes = web.file('/same-bytes.jpg', jpeg)
  await ann.post('/api/upload-from-urls', { urls: [sameBytes] })
  assert.equal((await mediaOf(ann)).length, 3, 'another address is another wish')

  web.file('/a.jpg', await makeJpeg())
  await ann.post('/api/upload-from-urls', { urls: [a] })
  assert.equal((await mediaOf(ann)).length, 4, 'other bytes at the same address are another picture')
})

test('what lies in the trash can be fetched anew', async (context) => {
  const web = await fakeWeb(context)
  const address = web.file('/a.jpg', await makeJpeg())
  const url = web.page('/', `<title>One</title><img src="${address}">`)
  const { register } = await testApp(context, web.settings)
  const ann = await register()
  await ann.post('/api/upload-from-urls', { urls: [address] })
  const [{ id }] = await mediaOf(ann)
  await ann.post('/api/media/bulk-trash', { mediaIds: [id] })
  assert.equal((await ann.post('/api/scrape-preview', { url })).json().images[0].isInLibrary, false)
  await ann.post('/api/upload-from-urls', { urls: [address] })
  assert.equal((await mediaOf(ann)).length, 1)
})

test('no more than four images are fetched at once', async (context) => {
  const web = await fakeWeb(context)
  const jpegs = await Promise.all(Array.from({ length: 12 }, () => makeJpeg()))
  const open: (() => void)[] = []
  let most = 0
  const answerAll = () => {
    for (const answer of open.splice(0)) answer()
  }
  const urls = jpegs.map((jpeg, index) =>
    web.answer(`/${index}.jpg`, (_request, response) => {
      open.push(() => response.end(jpeg))
      most = Math.max(most, open.length)
      // Nobody has an answer before four have asked; a fifth who comes meanwhile is seen.
      if (open.length === 4) setImmediate(answerAll)
    }),
  )
  const { register } = await testApp(context, web.settings)
  const { results } = last((await (await register()).post('/api/upload-from-urls', { urls })).body)
  assert.deepEqual(results, { successCount: 12, errorCount: 0 })
  assert.equal(most, 4)
})

test('requests that make no sense are refused in words before any stream begins', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const none = 'Please select at least one image to upload'
  const noUrl = 'Please enter at least one valid image URL'
  const many = Array.from({ length: 10_001 }, () => 'x')
  const cases: [string, unknown, string][] = [
    ['/api/scrape-upload', {}, `selectedImages: ${none}`],
    ['/api/scrape-upload', { selectedImages: [] }, `selectedImages: ${none}`],
    ['/api/scrape-upload', { selectedImages: 'all' }, `selectedImages: ${none}`],
    ['/api/scrape-upload', { selectedImages: [{ originalUrl: 'javascript:1' }] }, none],
    ['/api/scrape-upload', { selectedImages: [{ originalUrl: 'data:text/html;base64,AAAA' }] }, none],
    ['/api/scrape-upload', { selectedImages: [{}] }, 'selectedImages.0.originalUrl: An image needs its address.'],
    ['/api/upload-from-urls', {}, `urls: ${noUrl}`],
    ['/api/upload-from-urls', { urls: [] }, `urls: ${noUrl}`],
    ['/api/upload-from-urls', { urls: ['', ' ', 'nonsense'] }, noUrl],
    ['/api/upload-from-urls', { urls: [5] }, `urls.0: ${noUrl}`],
    ['/api/upload-from-urls', { urls: many }, 'urls: At most 10,000 images can be uploaded at once.'],
  ]
  for (const [path, body, message] of cases) {
    const answer = await ann.post(path, body)
    assert.deepEqual([answer.statusCode, answer.json().message], [400, message])
    assert.match(String(answer.headers['content-type']), /^application\/json/)
  }
  assert.equal(await currentRun(ann), null)
})

test('a selection of several megabytes is taken', async (context) => {
  const web = await fakeWeb(context)
  const originalUrl = web.file('/a.jpg', await makeJpeg())
  const { register } = await testApp(context, web.settings)
  const image = { originalUrl, unknown: 'x'.repeat(3 * 1024 ** 2), alt: 'y'.repeat(5000), selected: true }
  const answer = await (await register()).post('/api/scrape-upload', { selectedImages: [image], pageUrl: null })
  assert.deepEqual(last(answer.body).results, { successCount: 1, errorCount: 0 })
})

test('a full storage is told as the reason, and takes in nothing', async (context) => {
  const web = await fakeWeb(context)
  const urls = [web.file('/a.jpg', await makeJpeg()), web.file('/b.jpg', await makeJpeg())]
  const { register } = await testApp(context, { ...web.settings, QUOTA_GB: '0.000001' })
  const ann = await register()
  assert.deepEqual(last((await ann.post('/api/upload-from-urls', { urls })).body).results, {
    successCount: 0,
    errorCount: 2,
  })
  const { failed } = await currentRun(ann)
  assert.equal(failed[0].message, 'There is not enough room left in your storage for this file.')
})

test('a fault that nobody foresaw gets the sentence of its call, a full disk and a database that is away their own', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  let fault: Error & { code?: string } = new Error('out of order')
  context.mock.method(services.jobs, 'enqueue', () => Promise.reject(fault))
  await services.db.schema.dropTable('attempts').execute()
  const selectedImages = [{ originalUrl: 'https://example.com/a.jpg', selected: true }]
  const cases: [path: string, body: object, message: string][] = [
    ['/api/scrape-preview', { url: 'https://example.com' }, 'Failed to analyze webpage'],
    ['/api/scrape-upload', { selectedImages, pageUrl: null }, 'Failed to upload images'],
    ['/api/upload-from-urls', { urls: ['https://example.com/a.jpg'] }, 'Failed to upload images from URLs'],
  ]
  for (const [path, body, message] of cases) {
    const answer = await ann.post(path, body)
    assert.deepEqual([answer.statusCode, answer.json().message], [500, message], path)
    assert.match(answer.json().requestId, /^[\da-f-]{36}$/)
  }
  for (const [code, status] of [
    ['ENOSPC', 507],
    ['57P01', 503],
  ] as const) {
    fault = Object.assign(new Error('out of order'), { code })
    assert.equal((await ann.post('/api/scrape-upload', { selectedImages, pageUrl: null })).statusCode, status)
  }
})
