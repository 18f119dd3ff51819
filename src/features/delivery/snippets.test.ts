import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { defaultPresets } from './default-presets.ts'
import {
  makeSnippet,
  type SnippetFormat,
  type SnippetItem,
  type SnippetSize,
  snippetFormats,
  widthsOf,
} from './snippets.ts'

const item: SnippetItem = {
  name: 'pier.jpg',
  alt: 'A "pier" [low] <tide>',
  type: 'image',
  mimeType: 'image/jpeg',
  width: 1000,
  height: 500,
  isAnimated: false,
  isTransparent: false,
  fileUrl: 'https://a.example/i/pier-x1y2z3',
  pageUrl: 'https://a.example/public/pier-x1y2z3',
}
const address = item.fileUrl
const layout = '(min-width: 800px) 50vw, 100vw'
const write = (format: SnippetFormat, of: Partial<SnippetItem> = {}, size: SnippetSize = {}) =>
  makeSnippet(format, [{ ...item, ...of }], { size, layout })

test('a picture element offers AVIF, WebP and a fallback in the widths that the picture has', () => {
  const srcset = (extension: string) =>
    [`${address}.${extension}?w=320 320w`, `${address}.${extension}?w=640 640w`, `${address}.${extension}?w=960 960w`]
      .concat(`${address}.${extension}?w=1280 1000w`)
      .join(', ')
  assert.equal(
    write('picture'),
    `<picture>
  <source type="image/avif" srcset="${srcset('avif')}" sizes="${layout}">
  <source type="image/webp" srcset="${srcset('webp')}" sizes="${layout}">
  <img src="${address}.jpg?w=1280" width="1000" height="500" alt="A &quot;pier&quot; [low] &lt;tide&gt;" loading="lazy" decoding="async">
</picture>`,
  )
})

test('an image element lets the server choose the format', () => {
  assert.equal(
    write('img', {}, { maxWidth: 640 }),
    `<img src="${address}?format=auto&amp;w=640" srcset="${address}?format=auto&amp;w=320 320w, ${address}?format=auto&amp;w=640 640w" sizes="${layout}" width="640" height="320" alt="A &quot;pier&quot; [low] &lt;tide&gt;" loading="lazy" decoding="async">`,
  )
})

test('a preset has one size, with the width and height of its crop', () => {
  const preset = defaultPresets.find(({ name }) => name === 'thumb')!
  const picture = write('picture', {}, { preset })
  assert.match(picture, /<source type="image\/avif" srcset="https:\/\/a\.example\/i\/pier-x1y2z3\.avif\?p=thumb">/)
  assert.match(picture, /width="400" height="400"/)
  assert.doesNotMatch(picture, /sizes=/)
})

test('an animation stays animated, and transparency is kept in the fallback', () => {
  const animated = write('picture', { isAnimated: true, mimeType: 'image/gif' })
  assert.doesNotMatch(animated, /avif|jpg/)
  assert.doesNotMatch(write('picture', { isAnimated: true, mimeType: 'image/png' }), /<source/)
  assert.match(animated, /<img src="https:\/\/a\.example\/i\/pier-x1y2z3\?w=1280"/)
  assert.match(
    write('picture', { isTransparent: true }),
    /<img src="https:\/\/a\.example\/i\/pier-x1y2z3\.png\?w=1280"/,
  )
})

test('the srcset lists every width once, in order, and none that the picture does not have', () => {
  const width = fc.option(fc.integer({ min: 1, max: 20_000 }), { nil: null })
  const maxWidth = fc.option(fc.constantFrom(320, 640, 960, 1280, 1920, 2560), { nil: undefined })
  fc.assert(
    fc.property(width, maxWidth, (own, max) => {
      const widths = widthsOf({ width: own }, max)
      const real = widths.map((each) => each.real)
      assert.ok(widths.length > 0)
      assert.deepEqual(
        real,
        [...new Set(real)].sort((one, other) => one - other),
      )
      assert.ok(real.every((each) => each <= (own ?? Infinity) && each <= (max ?? 2560)))
      assert.ok(widths.every(({ asked, real }) => asked >= real))
    }),
    { seed: 37, numRuns: 1000 },
  )
})

test('no name or description leaves its place in any format', () => {
  const hostile = fc.constantFrom(
    '"><script>alert(1)</script>',
    "' onload='x",
    '](x)![',
    '[/img][url=x]',
    '=1+1',
    '\n# x',
  )
  fc.assert(
    fc.property(hostile, fc.constantFrom(...(Object.keys(snippetFormats) as SnippetFormat[])), (text, format) => {
      const snippet = write(format, { alt: text, name: text })
      if (format === 'img' || format === 'picture') assert.doesNotMatch(snippet, /<script|onload='/)
      if (format === 'json') assert.equal(JSON.parse(snippet).alt, text)
      if (format === 'csv') assert.match(snippet, /\r\n"(?!=)/)
      if (format === 'bbcode') assert.match(snippet, /^\[img\][^[\]]+\[\/img\]$/)
      if (format === 'markdown') assert.equal(snippet.split('\n').length, 1)
    }),
    { seed: 37 },
  )
})

test('addresses, page links, Markdown, BBCode, JSON and CSV name the chosen size', () => {
  const size = { maxWidth: 640 }
  const sized = `${address}?format=auto&w=640`
  assert.equal(write('file', {}, size), sized)
  assert.equal(write('file'), address)
  assert.equal(write('page', {}, size), item.pageUrl)
  assert.equal(write('markdown', { alt: 'Pier' }, size), `![Pier](${sized})`)
  assert.equal(write('bbcode', {}, size), `[img]${sized}[/img]`)
  const described = { name: 'pier.jpg', alt: item.alt, url: sized, page: item.pageUrl, width: 640, height: 320 }
  assert.deepEqual(JSON.parse(write('json', {}, size)), described)
  assert.equal(
    write('csv', { alt: 'Pier' }, size),
    `"Name","Description","URL","Page","Width","Height"\r\n"pier.jpg","Pier","${sized}","${item.pageUrl}","640","320"`,
  )
  assert.equal(JSON.parse(makeSnippet('json', [item, item], { size, layout })).length, 2)
})

test('a video plays in the page, with its poster', () => {
  const video = write('picture', { type: 'video', mimeType: 'video/mp4', alt: 'Waves' })
  assert.equal(
    video,
    `<video controls preload="none" poster="${address}.jpg?w=1280" src="${address}" width="1000" height="500" aria-label="Waves"></video>`,
  )
})

test('an item that is public in a collection only is shown by the address of the collection', () => {
  const shared = { fileUrl: null, sharedUrl: 'https://a.example/files/1/abc/pier.jpg' }
  assert.equal(write('file', shared), shared.sharedUrl)
  assert.match(write('picture', shared), /\/files\/1\/abc\/pier\.jpg\?w=320&amp;format=avif 320w/)
  assert.match(write('picture', shared), /<img src="[^"]*\?w=1280&amp;format=jpeg"/)
})
