import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeBeside } from './placement.ts'

const viewport = { width: 360, height: 640 }
const menu = { width: 200, height: 240 }

test('a menu opens below its button, left edges in line', () => {
  const anchor = { top: 50, left: 20, width: 36, height: 36 }
  const place = placeBeside({ anchor, floating: menu, viewport, side: 'bottom', align: 'start' })
  assert.deepEqual(place, { top: 90, left: 20, side: 'bottom', maxHeight: 542 })
})

test('a menu at the foot of the screen opens upwards', () => {
  const anchor = { top: 590, left: 20, width: 36, height: 36 }
  const place = placeBeside({ anchor, floating: menu, viewport, side: 'bottom', align: 'start' })
  assert.equal(place.side, 'top')
  assert.equal(place.top + menu.height, anchor.top - 4)
})

test('a menu that fits nowhere takes the roomier side and scrolls inside it', () => {
  const anchor = { top: 200, left: 20, width: 36, height: 36 }
  const place = placeBeside({ anchor, floating: { width: 200, height: 900 }, viewport, side: 'top', align: 'start' })
  assert.deepEqual(place, { top: 240, left: 20, side: 'bottom', maxHeight: 392 })
})

test('a menu that fits the screen but neither side lies over its button, whole', () => {
  const anchor = { top: 300, left: 20, width: 36, height: 36 }
  const place = placeBeside({ anchor, floating: { width: 200, height: 400 }, viewport, side: 'bottom', align: 'start' })
  assert.deepEqual(place, { top: 232, left: 20, side: 'bottom', maxHeight: 624 })
})

test('a menu never leaves the screen sideways', () => {
  const anchor = { top: 50, left: 320, width: 36, height: 36 }
  const place = placeBeside({ anchor, floating: menu, viewport, side: 'bottom', align: 'start' })
  assert.equal(place.left, viewport.width - menu.width - 8)
})

test('a centred tooltip stands in the middle of what it explains', () => {
  const anchor = { top: 300, left: 100, width: 60, height: 20 }
  const place = placeBeside({ anchor, floating: { width: 100, height: 24 }, viewport, side: 'top', align: 'center' })
  assert.deepEqual([place.top, place.left], [272, 80])
})

test('a tooltip beside the edge goes to the other side', () => {
  const anchor = { top: 300, left: 320, width: 30, height: 20 }
  const place = placeBeside({ anchor, floating: { width: 100, height: 24 }, viewport, side: 'right', align: 'center' })
  assert.equal(place.side, 'left')
  assert.equal(place.left, 216)
})
