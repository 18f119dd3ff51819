import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { assertImage } from './assert-image.fixture.ts'
import { findImages } from './find-images.ts'
import type { FoundImage } from './found-image.ts'
import { readDataUri } from './image-address.ts'

const page = 'https://site.example/posts/one'
const find = (html: string) => findImages(html, page).images
const urls = (html: string) => find(html).map(({ url }) => url)

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

test('words that are cut end with a whole character', () => {
  const [image] = find(`<img src=a.jpg alt="${'a'.repeat(299)}😀 and more">`)
  assert.equal(image?.alt, 'a'.repeat(299))
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
    '<meta property="og:image:secure_url" content="a.jpg">': 'meta',
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
  assert.deepEqual(readDataUri(inline!.url), Buffer.alloc(3000, 1))
  assert.deepEqual(urls(`<img src="data:image/png;base64,${large}" data-src="a.jpg">`), [
    'https://site.example/posts/a.jpg',
  ])
})

test('an address that a script will load may have spaces in it, and is no list', () => {
  const lazy = (src: string) => urls(`<img src="data:image/gif;base64,R0lGOD" data-src="${src}">`)
  assert.deepEqual(lazy('/up/My photo (1).jpg'), ['https://site.example/up/My%20photo%20(1).jpg'])
  assert.deepEqual(lazy('/a.jpg /b.jpg'), [])
  assert.deepEqual(lazy('/a.jpg, /b.jpg'), [])
  assert.deepEqual(urls('<div data-bg="my photo.jpg"></div>'), ['https://site.example/posts/my%20photo.jpg'])
})

test('one placeholder shared by many lazy pictures does not make them one picture', () => {
  const html = [1, 2, 3].map((id) => `<img src="/assets/wait.gif" data-src="/p${id}.jpg">`).join('')
  assert.deepEqual(
    urls(html),
    [1, 2, 3].map((id) => `https://site.example/p${id}.jpg`),
  )
})

test('a picture that a lazy-loading attribute names is found, even when it is called like a placeholder', () => {
  for (const name of ['lazy.png', 'placeholder.jpg', 'blank.gif', 'loading.webp']) {
    assert.deepEqual(urls(`<img src="/wait.gif" data-src="/${name}">`), [`https://site.example/${name}`])
  }
  assert.deepEqual(urls('<img src="/placeholder.jpg" data-src="/cat.jpg">'), ['https://site.example/cat.jpg'])
  assert.deepEqual(urls('<img src="/placeholder.jpg">'), ['https://site.example/placeholder.jpg'])
  assert.deepEqual(urls('<img src="/spacer.gif">'), [])
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
  const sanity = 'https://cdn.sanity.io/i/abc-2000x3000.jpg'
  assert.equal(find(`<a href="${sanity}"><img src="${sanity}?w=400"></a>`)[0]?.url, sanity)
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

/** Read in a thread that is ended when it holds more. */
async function findWithin(megabytes: number, html: string): Promise<FoundImage[]> {
  const code = `
    import { parentPort, workerData } from 'node:worker_threads'
    import { findImages } from ${JSON.stringify(new URL('./find-images.ts', import.meta.url))}
    parentPort.postMessage(findImages(workerData, ${JSON.stringify(page)}).images)`
  const entry = new URL(`data:text/javascript,${encodeURIComponent(code)}`)
  const reader = new Worker(entry, { workerData: html, resourceLimits: { maxOldGenerationSizeMb: megabytes } })
  const [images] = await once(reader, 'message')
  return images
}

test('ten thousand pictures are found, each once, without holding much memory', async () => {
  const html = Array.from({ length: 10_000 }, (_, id) => {
    const srcset = [300, 768, 1536].map((width) => `/u/p${id}-${width}x200.jpg ${width}w`).join(', ')
    return `<figure><a href="/u/p${id}.jpg"><img src="/wait.gif" data-srcset="${srcset}" alt="Picture ${id}"></a>
      <noscript><img src="/u/p${id}-768x200.jpg"></noscript><figcaption>Caption ${id}</figcaption></figure>`
  }).join('\n')
  const images = await findWithin(100, html)
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
    { numRuns: 300, seed: 20_261_115 },
  )
})
