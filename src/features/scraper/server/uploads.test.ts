import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startMisbehavingEndpoint } from '#engines/ai/testing/misbehaving-endpoint.ts'
import { fakeWeb } from '#tests/support/fake-web.ts'
import { parseEvents } from '#tests/support/live-events.ts'
import { makeJpeg, makePng } from '#tests/support/pictures.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import { until } from '#tests/support/until.ts'
import type { RunProgress, ScrapePreview } from '../contract.ts'
import { currentRun, heldPicture, lastEvent, mediaOf } from './runs.fixture.ts'

const sourcesOf = async ({ services }: TestApp) =>
  (await services.db.selectFrom('media').select('source').orderBy('id').execute()).map(({ source }) =>
    JSON.parse(source!),
  )

test('selected images are added to the library under their names, with their source', async (context) => {
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
  const events = parseEvents<RunProgress>(answer.body)
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
  for (const [person, isThere] of [
    [ann, true],
    [await product.register(), false],
  ] as const) {
    const again: ScrapePreview = (await person.post('/api/scrape-preview', { url })).json()
    assert.deepEqual(
      again.images.map(({ isInLibrary }) => isInLibrary),
      [isThere, isThere],
    )
  }
})

test('images from URLs are named after them, and invalid URLs are ignored', async (context) => {
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
  const { results, total } = lastEvent((await ann.post('/api/upload-from-urls', { urls })).body)
  assert.deepEqual([total, results], [2, { successCount: 2, errorCount: 0 }])
  assert.deepEqual(
    (await mediaOf(ann)).map(({ filename }: { filename: string }) => filename),
    ['image.png', 'sea view.jpg'],
  )
})

test('when the largest version cannot be fetched, the next one is used', async (context) => {
  const web = await fakeWeb(context)
  web.file('/small.jpg', await makeJpeg())
  const image = {
    originalUrl: `${web.origin}/large.jpg`,
    alternatives: ['nonsense', `${web.origin}/medium.jpg`, `${web.origin}/small.jpg`],
    intelligentName: '../Lighthouse',
  }
  const endpoint = await startMisbehavingEndpoint()
  context.after(endpoint.close)
  const product = await testApp(context, { ...web.settings, AI_BASE_URL: endpoint.baseUrl, AI_MODEL: 'good' })
  const ann = await product.register()
  const upload = async (selected: object) => {
    const body = { selectedImages: [selected], pageUrl: `${web.origin}/` }
    return lastEvent((await ann.post('/api/scrape-upload', body)).body).results
  }
  assert.deepEqual(await upload(image), { successCount: 1, errorCount: 0 })
  assert.deepEqual(web.hits, ['/large.jpg', '/medium.jpg', '/small.jpg'])
  await product.settled()
  const [{ filename, aiStatus }] = await mediaOf(ann)
  assert.deepEqual([filename, aiStatus], ['_Lighthouse.jpg', 'done'])
  assert.equal((await sourcesOf(product))[0].address, image.originalUrl)
  web.file('/small.jpg', Buffer.from('no picture'))
  assert.deepEqual(await upload(image), { successCount: 0, errorCount: 1 })
  assert.equal((await currentRun(ann)).failed[0].message, 'Nothing was found at this URL (404).', 'of the first')
})

test('an image in a data URI is uploaded without a request', async (context) => {
  const web = await fakeWeb(context)
  const originalUrl = `data:image/png;base64,${(await makePng({ width: 40, height: 30 })).toString('base64')}`
  const product = await testApp(context, web.settings)
  const ann = await product.register()
  const image = { originalUrl, intelligentName: 'Drawn here' }
  const body = { selectedImages: [image, image], pageUrl: `${web.origin}/page` }
  for (const expected of [1, 1]) {
    assert.equal(lastEvent((await ann.post('/api/scrape-upload', body)).body).results.successCount, 1)
    assert.equal((await mediaOf(ann)).length, expected)
  }
  assert.deepEqual(web.hits, [])
  assert.match((await sourcesOf(product))[0].address, /\/page#embedded-[0-9a-f]{16}$/)
})

test('an image in a data URI may be percent-encoded', async (context) => {
  const web = await fakeWeb(context)
  const base64 = (await makePng({ width: 40, height: 30 })).toString('base64')
  assert.match(base64, /[+/]/)
  const url = web.page('/', `<img src="data:image/png;base64,${encodeURIComponent(base64)}" alt="Drawn here">`)
  const ann = await (await testApp(context, web.settings)).register()
  const { images, pageUrl }: ScrapePreview = (await ann.post('/api/scrape-preview', { url })).json()
  const answer = await ann.post('/api/scrape-upload', { selectedImages: images, pageUrl })
  assert.deepEqual(lastEvent(answer.body).results, { successCount: 1, errorCount: 0 })
})

test('an overlong address is not stored in the library, where backups could not hold it', async (context) => {
  const web = await fakeWeb(context)
  const product = await testApp(context, web.settings)
  const ann = await product.register()
  const endless = `https://example.com/${'a'.repeat(17 * 1024 * 1024)}`
  const embedded = `data:image/png;base64,${(await makePng({ width: 40, height: 30 })).toString('base64')}`
  const ofPage = await ann.post('/api/scrape-upload', { selectedImages: [{ originalUrl: embedded }], pageUrl: endless })
  assert.deepEqual(lastEvent(ofPage.body).results, { successCount: 1, errorCount: 0 })
  const sizes = [{ originalUrl: endless, alternatives: [web.file('/boat.jpg', await makeJpeg())] }]
  assert.equal((await ann.post('/api/scrape-upload', { selectedImages: sizes })).statusCode, 400)
  assert.equal((await ann.post('/api/upload-from-urls', { urls: [endless] })).statusCode, 400)
  const backup = await ann.post('/api/admin/backups/create')
  assert.equal(backup.statusCode, 201, backup.body)
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
      // No request is answered before four are open; a fifth would be counted meanwhile.
      if (open.length === 4) setImmediate(answerAll)
    }),
  )
  const { register } = await testApp(context, web.settings)
  const { results } = lastEvent((await (await register()).post('/api/upload-from-urls', { urls })).body)
  assert.deepEqual(results, { successCount: 12, errorCount: 0 })
  assert.equal(most, 4)
})

test('a selection of several megabytes is accepted', async (context) => {
  const web = await fakeWeb(context)
  const originalUrl = web.file('/a.jpg', await makeJpeg())
  const { register } = await testApp(context, web.settings)
  const image = { originalUrl, unknown: 'x'.repeat(3 * 1024 ** 2), alt: 'y'.repeat(5000), selected: true }
  const answer = await (await register()).post('/api/scrape-upload', { selectedImages: [image], pageUrl: null })
  assert.deepEqual(lastEvent(answer.body).results, { successCount: 1, errorCount: 0 })
})

test('imported images keep their selection order in the library, whichever arrives first', async (context) => {
  const web = await fakeWeb(context)
  const first = await heldPicture(web, '/first.jpg')
  const others = await Promise.all(['/second.jpg', '/third.jpg'].map(async (path) => web.file(path, await makeJpeg())))
  const { register } = await testApp(context, web.settings)
  const ann = await register()
  const answer = ann.post('/api/upload-from-urls', { urls: [first.url, ...others] })
  await until('the others are there', async () => (await mediaOf(ann)).length === 2)
  first.allow()
  assert.deepEqual(lastEvent((await answer).body).results, { successCount: 3, errorCount: 0 })
  const { media } = (await ann.get('/api/media')).json()
  assert.deepEqual(
    media.map(({ filename }: { filename: string }) => filename),
    ['third.jpg', 'second.jpg', 'first.jpg'],
  )
})
