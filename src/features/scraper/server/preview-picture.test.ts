import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import sharp from 'sharp'
import { fakeWeb } from '#tests/support/fake-web.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { testApp } from '#tests/support/test-app.ts'

const pictureOf = (url: string) => `/api/scrape-image?url=${encodeURIComponent(url)}`

test("a previewed image is served small and re-encoded from this server's address", async (context) => {
  const web = await fakeWeb(context)
  const address = web.file('/large.jpg', await makeJpeg({ width: 1200, height: 800 }))
  const url = web.page('/', `<title>One</title><img src="${address}">`)
  const { register, directory } = await testApp(context, web.settings)
  const ann = await register()
  const { images } = (await ann.post('/api/scrape-preview', { url })).json()
  assert.equal(images[0].previewUrl, pictureOf(address))
  const answer = await ann.get(images[0].previewUrl)
  assert.equal(answer.statusCode, 200)
  assert.equal(answer.headers['content-type'], 'image/webp')
  assert.equal(answer.headers['cache-control'], 'no-store')
  assert.equal(answer.headers['content-security-policy'], "default-src 'none'; sandbox")
  assert.equal(answer.headers['x-content-type-options'], 'nosniff')
  const { width, height, format } = await sharp(answer.rawPayload).metadata()
  assert.deepEqual([format, width, height], ['webp', 600, 400])
  assert.deepEqual(await readdir(`${directory}/tmp`), [])
})

test('an image that the user’s own previews did not find is not fetched', async (context) => {
  const web = await fakeWeb(context)
  const address = web.file('/photo.jpg', await makeJpeg())
  const url = web.page('/', `<title>One</title><img src="${address}">`)
  const { register } = await testApp(context, web.settings)
  const [ann, ben] = [await register(), await register()]
  await ann.post('/api/scrape-preview', { url })
  const before = web.hits.length
  assert.equal((await ben.get(pictureOf(address))).statusCode, 404)
  for (const other of [
    `${address}?x`,
    `${web.origin}/`,
    'http://169.254.169.254/',
    'nonsense',
    'data:image/png;base64,AA',
  ])
    assert.equal((await ann.get(pictureOf(other))).statusCode, 404, other)
  assert.equal((await ann.get('/api/scrape-image')).statusCode, 400)
  assert.equal(web.hits.length, before)
})

test('a file that is no image is refused and leaves no temporary files', async (context) => {
  const web = await fakeWeb(context)
  web.answer('/page.jpg', (_request, response) =>
    response.writeHead(200, { 'content-type': 'image/jpeg' }).end('<html>'),
  )
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
  web.file('/drawing.jpg', Buffer.from(svg), 'image/svg+xml')
  const names = ['page', 'drawing', 'huge', 'gone']
  const url = web.page('/', `<title>Four</title>${names.map((name) => `<img src="/${name}.jpg">`).join('')}`)
  const { register, directory } = await testApp(context, web.settings)
  const ann = await register()
  const { images } = (await ann.post('/api/scrape-preview', { url })).json()
  web.answer('/huge.jpg', (_request, response) =>
    response.writeHead(200, { 'content-length': 31 * 1024 ** 2 }).write('x'),
  )
  const statuses = []
  for (const { previewUrl } of images) statuses.push((await ann.get(previewUrl)).statusCode)
  assert.deepEqual(statuses, [415, 415, 413, 422])
  assert.deepEqual(await readdir(`${directory}/tmp`), [])
})

onOneDatabase('preview images of a slow host delay only the user who requested them', async (context) => {
  const [slow, quick] = [await fakeWeb(context), await fakeWeb(context)]
  const names = Array.from({ length: 9 }, (_, index) => `/${index}.jpg`)
  for (const name of names) slow.file(name, await makeJpeg())
  const slowPage = slow.page('/', `<title>Slow</title>${names.map((name) => `<img src="${name}">`).join('')}`)
  quick.file('/a.jpg', await makeJpeg())
  // By another name, since connections are limited per host.
  const quickPage = quick.page('/', '<title>Quick</title><img src="/a.jpg">').replace('127.0.0.1', 'localhost')
  const allowed = `${slow.pair},${quick.pair.replace('127.0.0.1', 'localhost')}`
  const { register } = await testApp(context, { SCRAPER_ALLOW_HOSTS: allowed })
  const [ann, ben] = [await register(), await register()]
  await ann.post('/api/scrape-preview', { url: slowPage })
  const held: ServerResponse[] = []
  for (const name of names) slow.answer(name, (_request, response) => held.push(response))
  const waiting = names.map((name) => ann.get(pictureOf(slow.origin + name)))
  while (held.length < 4) await setImmediate()
  const { images } = (await ben.post('/api/scrape-preview', { url: quickPage })).json()
  assert.equal((await ben.get(images[0].previewUrl)).statusCode, 200)
  for (const name of names) slow.answer(name, (_request, response) => response.writeHead(404).end())
  for (const response of held) response.writeHead(404).end()
  await Promise.all(waiting)
})
