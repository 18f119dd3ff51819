import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { drawHalves } from '#engines/images/pictures.fixture.ts'
import { testApp } from '#tests/support/test-app.ts'
import { previewOf } from './page-elements.fixture.ts'
import { linkPreviewOf, withSharedCollection } from './sharing.fixture.ts'

const robot = { 'user-agent': 'facebookexternalhit/1.1', accept: '*/*', host: 'photos.example' }

test('a collection has Open Graph tags with its title, description and cover', async (context) => {
  const { ann, visitor, id, slug, media } = await withSharedCollection(context)
  await ann.patch(`/api/collections/${id}`, { coverMediaId: media[1]!.id })
  await ann.patch(`/api/media/${media[1]!.id}`, { userDescription: 'The pier at "low" tide' })
  await ann.patch(`/api/collections/${id}/branding`, { title: 'Summer & <Sea>', subtitle: 'Two days' })
  const answer = await visitor.get(`/public/collections/${slug}`, robot)
  assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
  const preview = previewOf(answer.body)
  assert.equal(preview.title, 'Summer & <Sea>')
  assert.equal(preview['og:title'], 'Summer & <Sea>')
  assert.equal(preview['og:description'], 'Two days')
  assert.equal(preview['og:url'], `http://photos.example/public/collections/${slug}`)
  assert.equal(preview['og:image'], `http://photos.example${linkPreviewOf(media[1]!.thumbnailUrl)}`)
  assert.equal(preview['og:image:alt'], 'The pier at "low" tide')
  assert.deepEqual([preview['og:image:width'], preview['og:image:height']], ['120', '63'])
  assert.equal(preview['twitter:card'], 'summary_large_image')
  const elsewhere = previewOf((await visitor.get(`/public/collections/${slug}`, { ...robot, host: 'nas.local' })).body)
  assert.equal(elsewhere['og:url'], `http://nas.local/public/collections/${slug}`, 'by the name that each came by')
  const named = await Promise.all(
    ['photos.example', 'nas.local'].map((host) => visitor.get(`/api/public/collections/${slug}/urls`, { host })),
  )
  assert.deepEqual(
    named.map((answer) => new URL(answer.json().urls[0]).host),
    ['photos.example', 'nas.local'],
  )
  const image = await visitor.get(new URL(preview['og:image']!).pathname + new URL(preview['og:image']!).search, robot)
  assert.deepEqual([image.statusCode, image.headers['content-type']], [200, 'image/jpeg'])
  await ann.post('/api/media/bulk-trash', { mediaIds: [media[1]!.id] })
  const without = previewOf((await visitor.get(`/public/collections/${slug}`, robot)).body)
  assert.equal(without['og:image'], `http://photos.example${linkPreviewOf(media[0]!.thumbnailUrl)}`)
})

test('an item has Open Graph tags with its name, description and image, under PUBLIC_URL', async (context) => {
  const { register, visitor } = await testApp(context, { PUBLIC_URL: 'https://albumen.example' })
  const ann = await register()
  const item = await ann.addPicture('pier.jpg')
  await ann.patch(`/api/media/${item.id}`, { userDescription: 'The pier' })
  const { publicUrlSlug } = (await ann.post(`/api/media/${item.id}/public`)).json()
  const preview = previewOf((await visitor().get(`/public/${publicUrlSlug}`, robot)).body)
  assert.deepEqual([preview.title, preview['og:description']], ['pier', 'The pier'])
  assert.equal(preview['og:url'], `https://albumen.example/public/${publicUrlSlug}`)
  assert.equal(preview['og:image'], `https://albumen.example${linkPreviewOf(item.thumbnailUrl)}`)
})

test('a link preview is cropped around the focal point, also after it moved', async (context) => {
  const { register, visitor } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture('panorama.png', await drawHalves(3000, 700).png().toBuffer())
  const { publicUrlSlug } = (await ann.post(`/api/media/${id}/public`)).json()
  const seen = async () => {
    const preview = previewOf((await visitor().get(`/public/${publicUrlSlug}`, robot)).body)
    assert.equal(preview['twitter:image'], preview['og:image'])
    assert.deepEqual([preview['og:image:width'], preview['og:image:height']], ['1200', '630'])
    const { pathname, search } = new URL(preview['og:image']!)
    const { rawPayload } = await visitor().get(pathname + search, robot)
    const { data, info } = await sharp(rawPayload).raw().toBuffer({ resolveWithObject: true })
    const [red, , blue] = data
    return { search, size: [info.width, info.height], colour: red! > blue! ? 'red' : 'blue' }
  }
  await ann.patch(`/api/media/${id}`, { focalPoint: { x: 0.1, y: 0.5 } })
  const left = await seen()
  await ann.patch(`/api/media/${id}`, { focalPoint: { x: 0.9, y: 0.5 } })
  const right = await seen()
  assert.deepEqual([left.size, left.colour, right.colour], [[1200, 630], 'red', 'blue'])
  assert.notEqual(left.search, right.search, 'programs that keep the picture ask for the new one')
})
