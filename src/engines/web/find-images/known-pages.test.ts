import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { assertImage } from './assert-image.fixture.ts'
import { findImages } from './find-images.ts'

async function findInFixture(name: string, pageUrl: string) {
  return findImages(await readFile(new URL(`./fixtures/${name}.html`, import.meta.url), 'utf8'), pageUrl)
}

test('a WordPress page with a lazy-loading plug-in', async () => {
  const { title, images, isProbablyScripted } = await findInFixture(
    'wordpress-lazy',
    'https://crumb.example/2024/sourdough/',
  )
  const uploads = 'https://crumb.example/wp-content/uploads'
  assert.equal(title, 'Sourdough for slow mornings – The Crumb Diary')
  assert.equal(isProbablyScripted, false)
  assert.equal(images.length, 6)
  const [loaf, texture, logo, oven, crumb, starter] = images
  assertImage(loaf, {
    url: `${uploads}/2024/05/loaf.jpg`,
    alternatives: ['loaf-scaled', 'loaf-1024x683', 'loaf-300x200'].map((name) => `${uploads}/2024/05/${name}.jpg`),
    alt: 'A round loaf on a wooden board',
    caption: 'The loaf after twelve hours in the cold.',
    heading: 'Shaping the loaf',
    fileName: 'loaf.jpg',
    source: 'img',
  })
  assertImage(texture, { url: `${uploads}/2024/05/flour-texture.jpg`, source: 'css' })
  assertImage(logo, { url: `${uploads}/crumb-logo.png`, alt: 'The Crumb Diary', width: 120, height: 40 })
  assertImage(oven, {
    url: `${uploads}/2024/05/oven-300x225.jpg`,
    caption: 'Steam in the first ten minutes',
    width: 300,
  })
  assertImage(crumb, { url: `${uploads}/2024/05/crumb.jpg`, alt: 'Open crumb', caption: 'What to look for' })
  assertImage(starter, { alt: 'Starter in a jar', caption: 'Day five', fileName: 'starter.jpg', heading: 'Gallery' })
})

test('a Shopify product page', async () => {
  const { title, images } = await findInFixture('shopify', 'https://hearth.example/products/linen-apron')
  const cdn = 'https://cdn.shopify.com/s/files/1/0001/products'
  assert.equal(title, 'Linen Apron – Hearth & Thread')
  const [apron, weave, mitt, mittBack, towel] = images
  assert.equal(images.length, 5)
  assertImage(apron, { url: 'https://hearth.example/cdn/shop/files/apron-front.jpg?v=1712', alt: 'Linen Apron, front' })
  assert.equal(apron!.alternatives[0], 'https://hearth.example/cdn/shop/files/apron-front.jpg?v=1712&width=1946')
  assertImage(weave, { alt: 'Close view of the weave', source: 'css', heading: 'Linen Apron' })
  assertImage(mitt, {
    url: `${cdn}/mitt.jpg?v=33`,
    alternatives: [`${cdn}/mitt_1080x.jpg?v=33`, `${cdn}/mitt_360x.jpg?v=33`],
  })
  assertImage(mittBack, { url: `${cdn}/mitt-back.jpg?v=33`, alt: 'Oven Mitt', source: 'attribute' })
  assertImage(towel, { url: `${cdn}/towel.jpg?v=7`, alt: '', heading: 'Tea Towel', context: 'Tea Towel' })
})

test('a Squarespace gallery', async () => {
  const { images } = await findInFixture('squarespace', 'https://ines.example/portfolio')
  const cdn = 'https://images.squarespace-cdn.com/content/v1/5aa'
  assert.equal(images.length, 4)
  assertImage(images[1], {
    url: `${cdn}/1111/Harbour+at+dusk.jpg`,
    alternatives: ['2500w', '500w', '100w'].map((size) => `${cdn}/1111/Harbour+at+dusk.jpg?format=${size}`),
    caption: 'Lisbon, 2023',
  })
  assertImage(images[2], { url: `${cdn}/2222/Stairs.png`, alternatives: [`${cdn}/2222/Stairs.png?format=1000w`] })
  assertImage(images[3], { url: `${cdn}/3333/fog.jpg` })
})

test('a Next.js page', async () => {
  const { images, isProbablyScripted } = await findInFixture('nextjs', 'https://trails.example/')
  assert.equal(isProbablyScripted, false)
  const [summit, path, lake] = images
  assert.equal(images.length, 3)
  assertImage(summit, { url: 'https://trails.example/images/summit.jpg', alt: 'View from the summit', source: 'img' })
  assert.equal(summit!.alternatives.length, 2)
  assertImage(path, { url: 'https://media.trails.example/u/path.jpg?ver=3', heading: 'Through the forest' })
  assertImage(lake, { url: 'https://trails.example/img/lake-1200.webp', source: 'picture', width: 1200, height: 800 })
  assert.equal(lake!.alternatives.at(-1), 'https://trails.example/img/lake.avif')
})

test('a Wikipedia article', async () => {
  const { images } = await findInFixture('wikipedia', 'https://en.wikipedia.org/wiki/Lighthouse')
  const commons = 'https://upload.wikimedia.org/wikipedia/commons'
  assert.equal(images.length, 4)
  const [tower, pharos, lens, signal] = images
  assertImage(tower, {
    url: `${commons}/a/ab/Phare.jpg`,
    alternatives: [1200, 500, 375, 250].map((width) => `${commons}/thumb/a/ab/Phare.jpg/${width}px-Phare.jpg`),
    caption: 'A lighthouse on a headland[1]',
    heading: 'Lighthouse',
  })
  assertImage(pharos, { fileName: 'Pháros.png', caption: 'Pharos of Alexandria', heading: 'History' })
  assertImage(lens, { url: `${commons}/thumb/e/ef/Optics.svg/120px-Optics.svg.png`, alternatives: [] })
  assertImage(signal, { alt: 'Signal', width: 80, height: 60 })
})

test('a news report with figures, a base address and metadata', async () => {
  const { images } = await findInFixture('news', 'https://daily.example/storm')
  const assets = 'https://static.daily.example/assets/2026'
  const [storm, street, harbour, map, poster] = images
  assert.equal(images.length, 5)
  assertImage(storm, {
    url: `${assets}/storm.jpg`,
    width: 3000,
    height: 2000,
    caption: 'Waves over the pier on Monday. Photo: A. Lind',
    source: 'picture',
  })
  assert.ok(storm!.alternatives.includes(`${assets}/storm-portrait.jpg?w=600`))
  assertImage(street, { url: `${assets}/street.jpg`, caption: 'Sandbags in the old town', alt: '' })
  assertImage(harbour, { url: `${assets}/harbour.jpg?w=300`, heading: 'Harbour stays closed' })
  assertImage(map, {
    url: `${assets}/map.png`,
    linkText: 'the map of the flood',
    source: 'link',
    heading: 'On the streets',
  })
  assertImage(poster, { url: `${assets}/clip-poster.jpg`, source: 'video' })
})

test('a page that draws itself with scripts is recognised', async () => {
  const { title, images, isProbablyScripted } = await findInFixture('scripted', 'https://app.example/')
  assert.equal(title, 'Gallery App')
  assert.equal(images.length, 1)
  assert.equal(isProbablyScripted, true)
  assert.equal(
    findImages('<p>No pictures here, and no scripts either.', 'https://site.example/posts/one').isProbablyScripted,
    false,
  )
})
