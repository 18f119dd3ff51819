import assert from 'node:assert/strict'
import { test } from 'node:test'
import { displaySize, h264Filter, jpegFilter, orientationOf, type PictureSource } from './filters.ts'
import { conversionTimeoutMs } from './video-engine.ts'

const landscape: PictureSource = {
  codedWidth: 3840,
  codedHeight: 2160,
  pixelAspect: 1,
  orientation: { rotation: 0, filters: [] },
  transfer: 'sdr',
  isInterlaced: false,
  hasColourMatrix: true,
}
const rotated: PictureSource = { ...landscape, orientation: { rotation: 90, filters: ['transpose=1'] } }
const limits = { maxEdge: 1920, maxFramesPerSecond: 60, framesPerSecond: 30 }

test('frames are scaled before they are rotated', () => {
  assert.deepEqual(displaySize(rotated), { width: 2160, height: 3840 })
  const { width, height, filter } = jpegFilter(rotated, 1600)
  assert.deepEqual([width, height], [900, 1600])
  assert.match(filter, /^scale=1600:900:.*,transpose=1,/)
})

test('small frames are not enlarged, and H.264 gets even edges', () => {
  const small = { ...landscape, codedWidth: 33, codedHeight: 1 }
  assert.match(jpegFilter(small, 1600).filter, /^scale=33:1:/)
  assert.match(h264Filter(small, limits), /^scale=34:2:/)
})

test('an unnamed color matrix of a large frame is taken for BT.709', () => {
  assert.match(jpegFilter({ ...landscape, hasColourMatrix: false }, 1600).filter, /in_color_matrix=bt709/)
  assert.doesNotMatch(jpegFilter({ ...landscape, hasColourMatrix: false, codedHeight: 480 }, 1600).filter, /in_color_/)
})

test('only HDR is tone-mapped, with the curve of its transfer function', () => {
  assert.doesNotMatch(h264Filter(landscape, limits), /tonemap/)
  assert.match(h264Filter({ ...landscape, transfer: 'pq' }, limits), /tin=smpte2084.*tonemap/)
  assert.match(jpegFilter({ ...landscape, transfer: 'hlg' }, 1600).filter, /tin=arib-std-b67.*tonemap/)
})

test('slow motion is limited to 60 frames per second', () => {
  assert.match(h264Filter(landscape, { ...limits, framesPerSecond: 240 }), /^fps=60,/)
  assert.doesNotMatch(h264Filter(landscape, { ...limits, framesPerSecond: 59.94 }), /fps/)
})

test('the time limit of a conversion grows with its work, up to a maximum', () => {
  const minute = { durationSeconds: 60, width: 1920, height: 1080, framesPerSecond: 30 }
  assert.equal(conversionTimeoutMs(minute), 1_320_000)
  assert.equal(conversionTimeoutMs({ ...minute, durationSeconds: 0 }), 120_000)
  assert.ok(conversionTimeoutMs({ ...minute, width: 3840, height: 2160 }) > 4_000_000)
  assert.equal(conversionTimeoutMs({ ...minute, durationSeconds: 1e9 }), 43_200_000)
})

const one = 65_536
const matrix = (a: number, b: number, c: number, d: number) => [a, b, 0, c, d, 0, 0, 0, 2 ** 30]

test('a video without a display matrix is upright', () => {
  assert.deepEqual(orientationOf(null), { rotation: 0, filters: [] })
  assert.deepEqual(orientationOf(matrix(one, 0, 0, one)), { rotation: 0, filters: [] })
})

test('quarter turns become the matching transposition', () => {
  assert.deepEqual(orientationOf(matrix(0, one, -one, 0)), { rotation: 90, filters: ['transpose=1'] })
  assert.deepEqual(orientationOf(matrix(-one, 0, 0, -one)), { rotation: 180, filters: ['hflip', 'vflip'] })
  assert.deepEqual(orientationOf(matrix(0, -one, one, 0)), { rotation: 270, filters: ['transpose=2'] })
})

test('a mirrored selfie is mirrored and not rotated upside down', () => {
  assert.deepEqual(orientationOf(matrix(-one, 0, 0, one)), { rotation: 0, filters: ['hflip'] })
  assert.deepEqual(orientationOf(matrix(one, 0, 0, -one)), { rotation: 0, filters: ['vflip'] })
  assert.deepEqual(orientationOf(matrix(0, one, one, 0)), { rotation: 90, filters: ['transpose=0'] })
  assert.deepEqual(orientationOf(matrix(0, -one, -one, 0)), { rotation: 270, filters: ['transpose=3'] })
})

test('a broken display matrix leaves the video upright', () => {
  assert.deepEqual(orientationOf([1, 2, 3]), { rotation: 0, filters: [] })
  assert.deepEqual(orientationOf(matrix(0, 0, 0, 0)), { rotation: 0, filters: [] })
})
