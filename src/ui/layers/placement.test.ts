import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeNextTo } from './placement.ts'

const viewport = { width: 360, height: 640 }
const menu = { width: 200, height: 240 }

test('a menu opens below its button, aligned left', () => {
  const anchor = { top: 50, left: 20, width: 36, height: 36 }
  const place = placeNextTo({ anchor, floating: menu, viewport, side: 'bottom', align: 'start' })
  assert.deepEqual(place, { top: 90, left: 20, side: 'bottom', maxHeight: 542 })
})

test('a menu at the bottom of the screen opens upwards', () => {
  const anchor = { top: 590, left: 20, width: 36, height: 36 }
  const place = placeNextTo({ anchor, floating: menu, viewport, side: 'bottom', align: 'start' })
  assert.equal(place.side, 'top')
  assert.equal(place.top + menu.height, anchor.top - 4)
})

test('a menu that fits on neither side opens on the larger one and scrolls', () => {
  const anchor = { top: 200, left: 20, width: 36, height: 36 }
  const place = placeNextTo({ anchor, floating: { width: 200, height: 900 }, viewport, side: 'top', align: 'start' })
  assert.deepEqual(place, { top: 240, left: 20, side: 'bottom', maxHeight: 392 })
})

test('a menu that fits the screen but neither side covers its button', () => {
  const anchor = { top: 300, left: 20, width: 36, height: 36 }
  const place = placeNextTo({ anchor, floating: { width: 200, height: 400 }, viewport, side: 'bottom', align: 'start' })
  assert.deepEqual(place, { top: 232, left: 20, side: 'bottom', maxHeight: 624 })
})

test('a menu stays within the screen horizontally', () => {
  const anchor = { top: 50, left: 320, width: 36, height: 36 }
  const place = placeNextTo({ anchor, floating: menu, viewport, side: 'bottom', align: 'start' })
  assert.equal(place.left, viewport.width - menu.width - 8)
})

test('a centered tooltip is centered on its anchor', () => {
  const anchor = { top: 300, left: 100, width: 60, height: 20 }
  const place = placeNextTo({ anchor, floating: { width: 100, height: 24 }, viewport, side: 'top', align: 'center' })
  assert.deepEqual([place.top, place.left], [272, 80])
})

test('a tooltip at the edge moves to the other side', () => {
  const anchor = { top: 300, left: 320, width: 30, height: 20 }
  const place = placeNextTo({ anchor, floating: { width: 100, height: 24 }, viewport, side: 'right', align: 'center' })
  assert.equal(place.side, 'left')
  assert.equal(place.left, 216)
})
