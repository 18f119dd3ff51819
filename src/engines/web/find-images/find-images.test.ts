import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import fc from 'fast-check'
import { readDataUri } from './data-uri.ts'
import { findImages } from './find-images.ts'
import type { FoundImage } from './found-image.ts'

const page = 'https://site.example/posts/one'
const find = (html: string) => findImages(html, page).images
const urls = (html: string) => find(html).map(({ url }) => url)

async function findInFixture(name: string, pageUrl: string) {
  return findImages(await readFile(new URL(`./fixtures/${name}.html`, import.meta.url), 'utf8'), pageUrl)
}

/** The fields named in `expected` only. */
function assertImage(image: FoundImage | undefined, expected: Partial<FoundImage>) {
  assert.ok(image)
  const named = Object.keys(expected).map((key) => [key, image[key as keyof FoundImage]])
  assert.deepEqual(Object.fromEntries(named), expected)
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
  assert.equal(findImages('<p>No pictures here, and no scripts either.', page).isProbablyScripted, false)
})

test('a page without a title is called by its heading, or by its host', () => {
  assert.equal(findImages('<h1>Bees &amp; more</h1>', page).title, 'Bees & more')
  assert.equal(findImages('<meta property="og:title" content="Bees">', page).title, 'Bees')
  assert.equal(findImages('<svg><title>icon</title></svg>', page).title, 'site.example')
})

test('relative, protocol-relative and padded addresses are resolved', () => {
  const html = '<img src="../a.jpg"><img src="//cdn.example/b.jpg"><img src=" /c d.jpg\n"><img src="?id=7">'
  assert.deepEqual(urls(html), [
    'https://site.example/a.jpg',
    'https://cdn.example/b.jpg',
    'https://site.example/c%20d.jpg',
    'https://site.example/posts/one?id=7',
  ])
})

test('only a base address of the web counts, and only the first', () => {
  assert.deepEqual(urls('<img src=a.jpg><base href="/x/"><base href="/y/">'), ['https://site.example/x/a.jpg'])
  assert.deepEqual(urls('<base href="javascript:1"><img src=a.jpg>'), ['https://site.example/posts/a.jpg'])
})

test('pictures are found in every unusual place', () => {
  const places = {
    '<body background="a.jpg">': 'css',
    '<div style="background-image:url(&quot;a.jpg&quot;)"></div>': 'css',
    '<div data-bg="a.jpg"></div>': 'attribute',
    '<section data-background-image="url(\'a.jpg\')"></section>': 'attribute',
    '<div data-bgset="a.jpg 800w"></div>': 'attribute',
    '<li data-thumb="a.jpg"></li>': 'attribute',
    '<svg><image xlink:href="a.jpg"/></svg>': 'svg',
    '<amp-img src="a.jpg" width="1" height="1"></amp-img>': 'img',
    '<input type="image" src="a.jpg">': 'img',
    '<noscript><img src="a.jpg"></noscript>': 'img',
    '<template><img src="a.jpg"></template>': 'img',
    '<picture><source srcset="a.jpg"></picture>': 'picture',
    '<link rel="image_src" href="a.jpg">': 'meta',
    '<meta itemprop="image" content="a.jpg">': 'meta',
    '<a href="a.jpg?download">': 'link',
    '<img src="data:image/gif;base64,R0lGOD" data-image="a.jpg">': 'img',
  }
  for (const [html, source] of Object.entries(places)) {
    const [image, ...more] = find(html)
    assert.ok(image && more.length === 0, html)
    assert.match(image.url, /^https:\/\/site\.example\/posts\/a\.jpg/, html)
    assert.equal(image.source, source, html)
  }
})

test('icons, trackers, spacers, drawings and templates are left out', () => {
  const noise = [
    '<link rel="icon" href="/favicon.png"><link rel="apple-touch-icon" href="/touch.png">',
    '<img src="/favicon-32x32.png"><img src="/site.ico"><img src="/logo.svg?v=2">',
    '<img src="/count" width="1" height="1"><img src="/count" style="height: 1px; width:1px">',
    '<img src="https://www.google-analytics.com/x.gif"><img src="/matomo.php?id=1"><img src="/images/spacer.gif">',
    '<img src="{{ photo.url }}"><img src="<%= photo %>.jpg"><img src=""><img src="#"><img src="javascript:x"><img src="ftp://a/b.jpg">',
    '<img src="http://user:pw@site.example/a.jpg"><img src="file:///a.jpg"><img>',
    '<!-- <img src="old.jpg"> --><script>"<img src=a.jpg>"</script><textarea><img src="a.jpg"></textarea>',
    '<a href="/wiki/File:Cat.jpg">Cat</a><a href="/report.pdf">Report</a><iframe data-src="/film.jpg"></iframe>',
    '<script type="application/ld+json">{"logo":{"@type":"ImageObject","url":"/logo.png"}}</script>',
    '<div data-price="12.50" data-lazy="true" data-bg="rgba(0,0,0,.5)" data-config=\'{"image":"a.jpg"}\'></div>',
  ]
  for (const html of noise) assert.deepEqual(urls(html), [], html)
})

test('pictures inside the page are kept from one kilobyte on, and only when they are pictures', () => {
  const small = Buffer.alloc(1000, 1).toString('base64')
  const large = Buffer.alloc(3000, 1).toString('base64')
  assert.deepEqual(urls(`<img src="data:image/png;base64,${small}">`), [])
  assert.deepEqual(urls(`<img src="data:image/svg+xml;base64,${large}"><img src="data:text/html;base64,${large}">`), [])
  const [inline] = find(`<img src="data:image/png;base64,${large}" alt="Chart">`)
  assertImage(inline, { alt: 'Chart', alternatives: [], fileName: 'inline-image' })
  assert.deepEqual(readDataUri(inline!.url), { contentType: 'image/png', bytes: Buffer.alloc(3000, 1) })
  assert.deepEqual(urls(`<img src="data:image/png;base64,${large}" data-src="a.jpg">`), [
    'https://site.example/posts/a.jpg',
  ])
})

test('one placeholder shared by many lazy pictures does not make them one picture', () => {
  const html = [1, 2, 3].map((id) => `<img src="/assets/wait.gif" data-src="/p${id}.jpg">`).join('')
  assert.deepEqual(
    urls(html),
    [1, 2, 3].map((id) => `https://site.example/p${id}.jpg`),
  )
})

test('a link to a large version belongs to the picture inside it, and not to several', () => {
  const [one, ...none] = find('<a href="/full/cat.jpg"><img src="/small/cat.jpg" alt="Cat"> see it large</a>')
  assert.equal(none.length, 0)
  assertImage(one, {
    url: 'https://site.example/full/cat.jpg',
    alternatives: ['https://site.example/small/cat.jpg'],
    alt: 'Cat',
    linkText: 'see it large',
  })
  assert.equal(find('<a href="/all.jpg"><img src="/1.jpg"><img src="/2.jpg"></a>').length, 3)
})

test('the denser and the wider version comes first', () => {
  assert.equal(urls('<img src="a.jpg" srcset="a.jpg 1x, a@2x.jpg 2x">')[0], 'https://site.example/posts/a@2x.jpg')
  assert.equal(
    urls('<img src="a.jpg" srcset="s.jpg 300w, l.jpg 3000w, m.jpg 900w">')[0],
    'https://site.example/posts/l.jpg',
  )
})

test('unclosed and misnested tags do not carry words to the wrong picture', () => {
  const [first, second, third] = find(`
    <ul><li><img src=1.jpg><h3>One</h3><li><img src=2.jpg><h3>Two</h3></ul>
    <figure><img src=3.jpg><figcaption>Three`)
  assertImage(first, { heading: 'One' })
  assertImage(second, { heading: 'Two' })
  assertImage(third, { caption: 'Three', heading: undefined })
  assert.deepEqual(urls('<svg><title/><style/></svg><img src=a.jpg>'), ['https://site.example/posts/a.jpg'])
})

test('ten thousand pictures are found, each once, without holding much memory', () => {
  const html = Array.from({ length: 10_000 }, (_, id) => {
    const srcset = [300, 768, 1536].map((width) => `/u/p${id}-${width}x200.jpg ${width}w`).join(', ')
    return `<figure><a href="/u/p${id}.jpg"><img src="/wait.gif" data-srcset="${srcset}" alt="Picture ${id}"></a>
      <noscript><img src="/u/p${id}-768x200.jpg"></noscript><figcaption>Caption ${id}</figcaption></figure>`
  }).join('\n')
  const before = process.memoryUsage().rss
  const images = find(html)
  assert.ok(process.memoryUsage().rss - before < 200 * 1024 * 1024)
  assert.equal(images.length, 10_000)
  assertImage(images[9_999], { url: 'https://site.example/u/p9999.jpg', alt: 'Picture 9999', caption: 'Caption 9999' })
})

test('a page made to explode stays small', () => {
  const formatting = Array.from({ length: 5_000 }, (_, id) => `<b a${id}>`).join('')
  assert.deepEqual(urls(`<p>${formatting}</p>${'<p>x</p>'.repeat(5_000)}<img src=a.jpg>`).length, 1)
  assert.equal(find(Array.from({ length: 70_000 }, (_, id) => `<img src=${id}>`).join('')).length, 60_000)
  assert.deepEqual(urls(`${'<div class=card><figure>'.repeat(50_000)}<img src=a.jpg>`).length, 1)
  assert.deepEqual(urls(`<script type="application/ld+json">${'['.repeat(200_000)}</script>`), [])
})

test('no text makes it fail', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '<img ',
      '<a href=x.jpg>',
      '</a>',
      '<figure>',
      '</figure>',
      '<svg>',
      '<style>',
      '</style>',
      '<source ',
    ),
    fc.constantFrom(
      'src=',
      'srcset=',
      'data-src=',
      'style="',
      '"',
      "'",
      '>',
      'url(',
      ')',
      ',',
      '{',
      '}',
      '%',
      'http://[',
      'data:',
    ),
    fc.constantFrom(
      '<script type="application/ld+json">',
      '{"image":',
      '</script>',
      '<picture>',
      '<base href=',
      '<h2>',
      '<title>',
    ),
    fc.string({ unit: 'binary', maxLength: 10 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      for (const { url } of find(pieces.join(''))) assert.match(url, /^(https?|data):/)
    }),
    { numRuns: 300 },
  )
})
