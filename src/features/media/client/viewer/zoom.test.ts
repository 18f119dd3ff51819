import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  clampView,
  fitPicture,
  maxScale,
  moveBy,
  shownPercent,
  swipeOf,
  toggledScale,
  wheelFactor,
  wholePicture,
  zoomTo,
} from './zoom.ts'

const stage = { width: 1000, height: 600 }
const photograph = { natural: { width: 4000, height: 3000 }, stage }
const icon = { natural: { width: 64, height: 64 }, stage }
const centre = { x: 0, y: 0 }

test('a picture fits the stage, and a small one is not enlarged', () => {
  assert.deepEqual(fitPicture(photograph), { width: 800, height: 600 })
  assert.deepEqual(fitPicture(icon), { width: 64, height: 64 })
  assert.equal(shownPercent(wholePicture, photograph), 20)
  assert.equal(shownPercent(wholePicture, icon), 100)
})

test('a double press zooms to the actual size and back', () => {
  const near = zoomTo(wholePicture, toggledScale(wholePicture, photograph), centre, photograph)
  assert.equal(shownPercent(near, photograph), 100)
  assert.equal(toggledScale(near, photograph), 1)
  assert.equal(toggledScale(wholePicture, icon), 2)
})

test('zooming keeps the point under the pointer in place', () => {
  const at = { x: 120, y: -80 }
  const view = zoomTo({ scale: 2, x: 10, y: 20 }, 4, at, photograph)
  // The same point of the picture before and after.
  assert.equal((at.x - 10) / 2, (at.x - view.x) / 4)
  assert.equal((at.y - 20) / 2, (at.y - view.y) / 4)
})

test('no gesture moves the picture out of view', () => {
  const coordinate = fc.integer({ min: -5000, max: 5000 })
  const size = fc.record({ width: fc.integer({ min: 1, max: 20_000 }), height: fc.integer({ min: 1, max: 20_000 }) })
  fc.assert(
    fc.property(
      size,
      fc.double({ min: 0.1, max: 100, noNaN: true }),
      coordinate,
      coordinate,
      (natural, scale, x, y) => {
        const frame = { natural, stage }
        const view = moveBy(zoomTo(wholePicture, scale, { x, y }, frame), { x: y, y: x }, frame)
        const { width, height } = fitPicture(frame)
        assert.ok(view.scale >= 1 && view.scale <= maxScale(frame))
        assert.ok(Math.abs(view.x) <= Math.max(0, (width * view.scale - stage.width) / 2))
        assert.ok(Math.abs(view.y) <= Math.max(0, (height * view.scale - stage.height) / 2))
        assert.deepEqual(clampView(view, frame), view)
      },
    ),
    { seed: 20_261_115 },
  )
})

test('a tiny picture can be zoomed until it fills the stage', () => {
  assert.equal(maxScale(icon), 600 / 64)
  assert.equal(maxScale(photograph), 10)
})

test('scrolling up zooms in, and a single wheel event has a limited effect', () => {
  const turn = (deltaY: number, more = {}) => wheelFactor({ deltaY, deltaMode: 0, ctrlKey: false, ...more })
  assert.ok(turn(-100) > 1)
  assert.ok(turn(100) < 1)
  assert.equal(turn(-5000), turn(-200))
  assert.equal(turn(3, { deltaMode: 1 }), turn(48))
})

test('a horizontal swipe changes the item, and a swipe down closes the viewer', () => {
  assert.equal(swipeOf({ x: -90, y: 10 }), 'next')
  assert.equal(swipeOf({ x: 90, y: -10 }), 'previous')
  assert.equal(swipeOf({ x: 10, y: 150 }), 'close')
  assert.equal(swipeOf({ x: 40, y: 0 }), undefined)
  assert.equal(swipeOf({ x: 90, y: 90 }), undefined)
  assert.equal(swipeOf({ x: 0, y: -300 }), undefined)
})
