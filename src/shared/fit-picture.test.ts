import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fitPicture, type WantedSize } from './fit-picture.ts'

const edge = (max: number) => fc.integer({ min: 1, max })
const picture = fc.record({ width: edge(20_000), height: edge(20_000) })
const side = fc.option(edge(8192), { nil: undefined })

function holdsForAll(fit: WantedSize['fit'], check: (size: { width: number; height: number }, given: Given) => void) {
  const property = fc.property(picture, side, side, (original, width, height) => {
    check(fitPicture(original, { width, height, fit }), { original, width, height })
  })
  fc.assert(property, { seed: 37, numRuns: 2000 })
}
type Given = { original: { width: number; height: number }; width?: number; height?: number }

test('a delivered picture is never larger than the original or than its box', () => {
  for (const fit of ['contain', 'cover'] as const) {
    holdsForAll(fit, (size, { original, width, height }) => {
      assert.ok(size.width >= 1 && size.height >= 1)
      assert.ok(size.width <= original.width && size.height <= original.height)
      if (fit === 'contain' || (width && height)) {
        assert.ok(size.width <= (width ?? Infinity) && size.height <= (height ?? Infinity))
      }
    })
  }
})

test('a contained picture keeps its shape to the pixel', () => {
  holdsForAll('contain', (size, { original }) => {
    if (size.width === 1 || size.height === 1) return
    const difference = Math.abs(size.width * original.height - size.height * original.width)
    assert.ok(difference <= (original.width + original.height) / 2 + 1e-6)
  })
})

test('a covering picture has the size of its box, or its shape if the original is smaller', () => {
  holdsForAll('cover', (size, { original, width, height }) => {
    if (!width || !height) return
    if (original.width >= width && original.height >= height) return assert.deepEqual(size, { width, height })
    const scale = Math.min(original.width / width, original.height / height)
    assert.ok(Math.abs(size.width - Math.max(1, width * scale)) <= 0.5)
    assert.ok(Math.abs(size.height - Math.max(1, height * scale)) <= 0.5)
  })
})

test('a box with one side covers like it contains', () => {
  const size = { width: 4000, height: 3000 }
  assert.deepEqual(fitPicture(size, { width: 800, fit: 'cover' }), { width: 800, height: 600 })
  assert.deepEqual(fitPicture(size, { height: 600, fit: 'cover' }), { width: 800, height: 600 })
})
