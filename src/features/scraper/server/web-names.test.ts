import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeWeb } from '#tests/support/fake-web.ts'
import { makeJpeg, makePng } from '#tests/support/pictures.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { testApp } from '#tests/support/test-app.ts'
import { webNamesOf } from '../web-names-of.ts'
import { mediaOf } from './runs.fixture.ts'

onOneDatabase('images from a webpage get web names by a pattern', async (context) => {
  const web = await fakeWeb(context)
  const addresses = [web.file('/1.jpg', await makeJpeg()), web.file('/2.png', await makePng())]
  const { register } = await testApp(context, web.settings)
  const ann = await register()
  const selectedImages = addresses.map((originalUrl) => ({ originalUrl, intelligentName: 'Große Möwe' }))
  await ann.post('/api/scrape-upload', { selectedImages, pageUrl: web.origin, namePattern: 'Küste {subject}' })
  const names = (await mediaOf(ann)).map(({ filename }: { filename: string }) => filename)
  assert.deepEqual(names, ['kueste-grosse-moewe-2.png', 'kueste-grosse-moewe.jpg'])
})

test('the website in names of images from the web is the name of the host', () => {
  const images = [{ name: 'Gull', address: 'https://cdn.example/a.jpg' }]
  const name = (pageUrl?: string) => webNamesOf(images, { pattern: '', pageUrl })[0]
  assert.equal(name('https://www.northwind.example/birds'), 'northwind-gull')
  assert.equal(name('http://127.0.0.1/'), 'gull')
  assert.equal(name(), 'cdn-gull')
})
