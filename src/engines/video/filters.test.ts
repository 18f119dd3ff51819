import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conversionTimeoutMs } from './conversion-time.ts'
import { displaySize, h264Filter, jpegFilter, type PictureSource } from './filters.ts'

const landscape: PictureSource = {
  codedWidth: 3840,
  codedHeight: 2160,
  pixelAspect: 1,
  orientation: { rotation: 0, filters: [] },
  transfer: 'sdr',
  isInterlaced: false,
  hasColourMatrix: true,
}
const turned: PictureSource = { ...landscape, orientation: { rotation: 90, filters: ['transpose=1'] } }
const limits = { maxEdge: 1920, maxFramesPerSecond: 60, framesPerSecond: 30 }

test('pictures are made smaller before they are turned', () => {
  assert.deepEqual(displaySize(turned), { width: 2160, height: 3840 })
  const { width, height, filter } = jpegFilter(turned, 1600)
  assert.deepEqual([width, height], [900, 1600])
  assert.match(filter, /^scale=1600:900:.*,transpose=1,/)
})

test('small pictures are not made larger, and H.264 gets even edges', () => {
  const small = { ...landscape, codedWidth: 33, codedHeight: 1 }
  assert.match(jpegFilter(small, 1600).filter, /^scale=33:1:/)
  assert.match(h264Filter(small, limits), /^scale=34:2:/)
})

test('unnamed colours of a high picture are taken for those of HDTV', () => {
  assert.match(jpegFilter({ ...landscape, hasColourMatrix: false }, 1600).filter, /in_color_matrix=bt709/)
  assert.doesNotMatch(jpegFilter({ ...landscape, hasColourMatrix: false, codedHeight: 480 }, 1600).filter, /in_color_/)
})

test('only HDR is tone-mapped, each curve from its own', () => {
  assert.doesNotMatch(h264Filter(landscape, limits), /tonemap/)
  assert.match(h264Filter({ ...landscape, transfer: 'pq' }, limits), /tin=smpte2084.*tonemap/)
  assert.match(jpegFilter({ ...landscape, transfer: 'hlg' }, 1600).filter, /tin=arib-std-b67.*tonemap/)
})

test('slow motion is shown at 60 pictures a second', () => {
  assert.match(h264Filter(landscape, { ...limits, framesPerSecond: 240 }), /^fps=60,/)
  assert.doesNotMatch(h264Filter(landscape, { ...limits, framesPerSecond: 59.94 }), /fps/)
})

test('a conversion may take longer the more there is to convert, but not for ever', () => {
  const minute = { durationSeconds: 60, width: 1920, height: 1080, framesPerSecond: 30 }
  assert.equal(conversionTimeoutMs(minute), 1_320_000)
  assert.equal(conversionTimeoutMs({ ...minute, durationSeconds: 0 }), 120_000)
  assert.ok(conversionTimeoutMs({ ...minute, width: 3840, height: 2160 }) > 4_000_000)
  assert.equal(conversionTimeoutMs({ ...minute, durationSeconds: 1e9 }), 43_200_000)
})
