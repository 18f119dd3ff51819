import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { fakeWeb } from '#tests/support/fake-web.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { testApp } from '#tests/support/test-app.ts'
import { lastEvent, mediaOf } from './runs.fixture.ts'

test('the same address is imported once, in one request, in two, and in two concurrent ones', async (context) => {
  const web = await fakeWeb(context)
  const jpeg = await makeJpeg()
  const a = web.file('/a.jpg', jpeg)
  const { register, directory } = await testApp(context, web.settings)
  const ann = await register()
  const first = lastEvent((await ann.post('/api/upload-from-urls', { urls: [a, a, `${a}#top`] })).body)
  assert.deepEqual([first.total, first.results], [1, { successCount: 1, errorCount: 0 }])
  await Promise.all([1, 2].map(() => ann.post('/api/upload-from-urls', { urls: [a] })))
  assert.equal((await mediaOf(ann)).length, 1)

  const other = await makeJpeg()
  const pending: (() => void)[] = []
  const b = web.answer('/b.jpg', (_request, response) => {
    // The image is sent only when both requests have asked for it.
    pending.push(() => response.writeHead(200, { 'content-type': 'image/jpeg' }).end(other))
    if (pending.length === 2) for (const answer of pending) answer()
  })
  const answers = await Promise.all([1, 2].map(() => ann.post('/api/upload-from-urls', { urls: [b] })))
  for (const { body } of answers) assert.deepEqual(lastEvent(body).results, { successCount: 1, errorCount: 0 })
  assert.equal((await mediaOf(ann)).length, 2)
  assert.deepEqual(await readdir(`${directory}/tmp`), [], 'what is there already leaves nothing behind')

  const sameBytes = web.file('/same-bytes.jpg', jpeg)
  await ann.post('/api/upload-from-urls', { urls: [sameBytes] })
  assert.equal((await mediaOf(ann)).length, 3, 'another address is another import')

  web.file('/a.jpg', await makeJpeg())
  await ann.post('/api/upload-from-urls', { urls: [a] })
  assert.equal((await mediaOf(ann)).length, 4, 'other bytes at the same address are another image')
})

test('an image that is in the trash can be imported again', async (context) => {
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
