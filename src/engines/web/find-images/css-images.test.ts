import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCssImages } from './css-images.ts'

const addresses = (css: string) => findCssImages(css).map((picture) => picture.map(({ address }) => address))

test('backgrounds are found however they are written', () => {
  assert.deepEqual(addresses('background: url(a.jpg)'), [['a.jpg']])
  assert.deepEqual(addresses('color:red;BACKGROUND-IMAGE:URL( "b c.jpg" )'), [['b c.jpg']])
  assert.deepEqual(addresses("background:#fff url('d.jpg') no-repeat, linear-gradient(red, blue), url(e.jpg)"), [
    ['d.jpg'],
    ['e.jpg'],
  ])
  assert.deepEqual(addresses('background:url(f\\28 1\\29.jpg)'), [['f(1).jpg']])
  assert.deepEqual(addresses('@media (min-width:9px){.x:hover{background-image:url(g.jpg)}}'), [['g.jpg']])
  assert.deepEqual(addresses('--hero-image: url(h.jpg); opacity: 1'), [['h.jpg']])
})

test('the versions of an image-set are one picture', () => {
  const css = 'background-image: -webkit-image-set(url(a.jpg) 1x, url("a2.jpg") 2x), url(b.jpg)'
  assert.deepEqual(
    findCssImages(css)[0]!.map(({ address, density }) => ({ address, density })),
    [
      { address: 'a.jpg', density: 1 },
      { address: 'a2.jpg', density: 2 },
    ],
  )
  assert.deepEqual(addresses('background: image-set("a.jpg" type("image/jpeg"), "b.jpg" 2x)'), [['a.jpg', 'b.jpg']])
})

test('fonts, cursors, masks, imports and comments are no pictures', () => {
  const css = `@import url(x.css); @font-face { src: url(f.woff) } a { cursor: url(c.png), auto; mask: url(m.png) }
    /* background: url(old.jpg) */ p { content: "url(text.jpg)"; filter: url(#f) }`
  assert.deepEqual(addresses(css), [])
})

test('broken style sheets are read as far as they go', () => {
  assert.deepEqual(addresses('a{background:url(a.jpg'), [['a.jpg']])
  assert.deepEqual(addresses('}}}a{background:image-set(url(a.jpg) 1x; } b{background:url(b.jpg)}'), [
    ['a.jpg'],
    ['b.jpg'],
  ])
  assert.deepEqual(addresses('background:url(a b.jpg)'), [])
})
