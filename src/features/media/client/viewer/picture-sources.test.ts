import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Media } from '../../contract.ts'
import { pictureSources, wantedWidth } from './picture-sources.ts'

const media = { originalUrl: '/files/1/abc/beach.jpg', width: 1500, isAnimated: false } as Media

test('renditions smaller than the picture and the picture itself are offered as sources', () => {
  assert.deepEqual(pictureSources(media), {
    src: '/files/1/abc/beach.jpg',
    srcSet: [
      '/files/1/abc/beach.jpg?w=640 640w',
      '/files/1/abc/beach.jpg?w=960 960w',
      '/files/1/abc/beach.jpg?w=1280 1280w',
      '/files/1/abc/beach.jpg 1500w',
    ].join(', '),
  })
})

test('a picture that is small, animated or of unknown size is loaded unchanged', () => {
  for (const change of [{ width: 400 }, { isAnimated: true }, { width: null }])
    assert.deepEqual(pictureSources({ ...media, ...change }), { src: media.originalUrl })
})

test('zooming requests larger renditions in steps, not at every wheel event', () => {
  const asked = [1, 1.1, 1.7, 2, 2.5, 4].map((scale) => wantedWidth(500, scale))
  assert.deepEqual(asked, ['500px', '1000px', '1000px', '1000px', '2000px', '2000px'])
})
