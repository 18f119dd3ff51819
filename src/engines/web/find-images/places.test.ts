import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findImages } from './find-images.ts'

const page = 'https://site.example/'
const places = (html: string) => findImages(html, page).images.flatMap((image) => image.places)
const place = (html: string) => places(html)[0]!

test('a missing alternative text, an empty one and a written one are told apart', () => {
  assert.equal(place('<img src="a.jpg">').alt, undefined)
  assert.equal(place('<img src="a.jpg" alt="">').alt, '')
  assert.equal(place('<img src="a.jpg" alt="Two boats">').alt, 'Two boats')
  assert.equal(place('<img src="a.jpg" aria-hidden="true">').alt, '')
  assert.equal(place('<img src="a.jpg" aria-label="Boat">').alt, 'Boat')
  assert.equal(place('<div style="background:url(a.jpg)"></div>').alt, '')
})

test('the address is that of the version which a browser loads, not of the largest', () => {
  const set = 'srcset="s.jpg 400w, m.jpg 800w, l.jpg 1600w"'
  const cases: Record<string, string> = {
    '<a href="large.jpg"><img src="small.jpg"></a>': 'small.jpg',
    [`<img src="s.jpg" ${set} width="350">`]: 'm.jpg',
    [`<img src="s.jpg" ${set}>`]: 'l.jpg',
    [`<img src="s.jpg" ${set} sizes="(max-width: 600px) 100vw, 200px">`]: 's.jpg',
    [`<img src="s.jpg" ${set} sizes="(min-width: 75rem) 25vw, 100vw">`]: 'm.jpg',
    '<img src="one.jpg" srcset="two.jpg 2x, three.jpg 3x">': 'two.jpg',
    '<picture><source type="image/avif" srcset="a.avif"><source type="image/webp" srcset="a.webp"><img src="a.jpg"></picture>':
      'a.avif',
    '<img src="blank.gif" data-src="lazy.jpg">': 'lazy.jpg',
  }
  for (const [html, name] of Object.entries(cases)) assert.equal(place(html).url, page + name, html)
})

test('the size, the shape and lazy loading are read from attributes and styles', () => {
  const facts = (html: string) => {
    const { shownWidth, hasDimensions, isLazy } = place(html)
    return [shownWidth, hasDimensions, isLazy]
  }
  assert.deepEqual(facts('<img src="a.jpg" width="640" height="480" loading="lazy">'), [640, true, true])
  assert.deepEqual(facts('<img src="a.jpg" width="640">'), [640, false, false])
  assert.deepEqual(facts('<img src="a.jpg" style="width: 100%; aspect-ratio: 4/3">'), [undefined, true, false])
  assert.deepEqual(facts('<img data-src="a.jpg" data-sizes="auto">'), [undefined, false, true])
  assert.deepEqual(facts('<img src="a.jpg" srcset="a.jpg 9w, b.jpg 99w" sizes="50vw">'), [640, false, false])
  assert.deepEqual(facts('<img src="a.jpg" sizes="50vw">'), [undefined, false, false])
})

test('a rendered page tells the width and the top of a picture', () => {
  const { shownWidth, top } = place('<img src="a.jpg" width="2000" data-albumen-box="320 2400">')
  assert.deepEqual([shownWidth, top], [320, 2400])
  for (const box of ['1 50', 'x', '12 34 56', '999999999 1'])
    assert.equal(place(`<img src="a.jpg" data-albumen-box="${box}">`).top, undefined, box)
})

test('places are numbered in the order of the page, and what is not shown has none', () => {
  const html = `<meta property="og:image" content="cover.jpg"><img src="a.jpg"><noscript><img src="b.jpg"></noscript>
    <a href="linked.jpg">Linked</a><img src="c.jpg"><img src="a.jpg?w=100">`
  const found = findImages(html, page).images.map(({ url, places }) => [
    url.slice(page.length),
    places.map((p) => p.order),
  ])
  assert.deepEqual(found, [
    ['cover.jpg', []],
    ['a.jpg', [0, 3]],
    ['b.jpg', [1]],
    ['linked.jpg', []],
    ['c.jpg', [2]],
  ])
  assert.equal(places('<img src="a.jpg">'.repeat(2000)).length, 5)
  const both = places('<i style="background-image: url(a.jpg)"></i><img src="a.jpg" alt="Boat">')
  assert.deepEqual(
    both.map(({ source, order }) => [source, order]),
    [
      ['img', 0],
      ['css', 0],
    ],
  )
})
