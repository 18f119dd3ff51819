import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import pino from 'pino'
import { storageFull } from '#platform/errors.ts'
import { fakeWeb } from '#tests/support/fake-web.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { testApp } from '#tests/support/test-app.ts'
import { currentRun, lastEvent, mediaOf } from './runs.fixture.ts'

test('a bad image does not stop the others, has a reason, leaves no files and can be retried', async (context) => {
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
  const { step, results } = lastEvent(answer.body)
  assert.deepEqual([step, results], ['complete', { successCount: 1, errorCount: 8 }])
  const run = await currentRun(ann)
  assert.deepEqual([run.isComplete, run.total, run.successCount, run.errorCount], [true, 9, 1, 8])
  const unsupported = /^Unsupported file type\./
  const reasons: Record<string, RegExp> = {
    page: /^This URL leads to a webpage, not an image or video\.$/,
    drawing: unsupported,
    empty: /^The file is empty\.$/,
    torn: /damaged|could not be read|incomplete/i,
    huge: /^The file is larger than 500 MB\.$/,
    cut: /^The connection was interrupted\. Please try again\.$/,
    inside: /^This URL could not be reached\./,
    gone: /^Nothing was found at this URL \(404\)\.$/,
  }
  assert.equal(run.failed.length, 8)
  for (const { name, message } of run.failed) assert.match(message, reasons[name.replace('.jpg', '')]!, name)
  assert.deepEqual(await readdir(`${directory}/tmp`), [])
  assert.equal((await mediaOf(ann)).length, 1)

  const ben = await register()
  assert.equal(await currentRun(ben), null)
  await ben.post('/api/upload-from-urls', { urls: [`${web.origin}/good.jpg`] })
  assert.equal((await mediaOf(ben)).length, 1, 'the same picture is his as well')
  assert.equal((await currentRun(ann)).id, run.id, 'what others upload changes nothing here')

  web.file('/gone.jpg', await makeJpeg())
  const retried = lastEvent((await ann.post('/api/scrape-runs/retry', { runId: run.id })).body)
  assert.deepEqual([retried.total, retried.results], [8, { successCount: 1, errorCount: 7 }])
  assert.equal((await mediaOf(ann)).length, 2)
  assert.equal((await currentRun(ann)).id, retried.runId, 'the new run is shown')
  await ann.post(`/api/scrape-runs/${retried.runId}/dismiss`)
  assert.equal(await currentRun(ann), null, 'and the old one no more')
})

test('invalid requests are refused with a message before the stream starts', async (context) => {
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
    ['/api/scrape-upload', { selectedImages: [{}] }, 'selectedImages.0.originalUrl: Each image needs its URL.'],
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

test('a server error is reported as the reason, and no other version of the image is requested', async (context) => {
  const web = await fakeWeb(context)
  const image = {
    originalUrl: web.file('/large.jpg', await makeJpeg()),
    alternatives: [web.file('/small.jpg', await makeJpeg())],
  }
  const logged: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(JSON.parse(line).err.message) })
  const { register, services } = await testApp(context, { ...web.settings, QUOTA_GB: '0.000001' }, { log })
  const ann = await register()
  const failureOf = async (selected: object) => {
    const { body } = await ann.post('/api/scrape-upload', { selectedImages: [selected] })
    assert.deepEqual(lastEvent(body).results, { successCount: 0, errorCount: 1 })
    return (await currentRun(ann)).failed[0]
  }
  const noRoom = "There isn't enough space in your storage for this file."
  assert.equal((await failureOf(image)).message, noRoom)
  const embedded = { originalUrl: `data:image/jpeg;base64,${(await makeJpeg()).toString('base64')}` }
  const { address, message } = await failureOf(embedded)
  assert.deepEqual([address, message], ['embedded in the page', noRoom])
  for (const [fault, sentence] of [
    [storageFull(), 'The disk is full. Free some space and try again.'],
    [new Error('EIO'), 'Something went wrong on our end.'],
  ] as const) {
    context.mock.method(services.storage, 'receive', () => Promise.reject(fault), { times: 1 })
    assert.equal((await failureOf(image)).message, sentence)
  }
  assert.deepEqual(web.hits, ['/large.jpg', '/large.jpg', '/large.jpg'])
  assert.deepEqual(logged, ['EIO'])
})

test('an unexpected error has the message of its call, a full disk and a lost database their own', async (context) => {
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
