import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { meaningOf, onSwipe } from './swipe.ts'

test('a sideways swipe moves to another image, a swipe down closes, and a short one is ignored', () => {
  assert.equal(meaningOf(-80, 10), 'next')
  assert.equal(meaningOf(80, -20), 'previous')
  assert.equal(meaningOf(10, 120), 'close')
  assert.equal(meaningOf(30, 5), 'nothing')
  assert.equal(meaningOf(60, 90), 'nothing')
  assert.equal(meaningOf(0, -200), 'nothing')
})

/** Swipes left on a page at this zoom scale. */
function swipeLeft(context: TestContext, scale: number) {
  Object.assign(globalThis, { window: { visualViewport: { scale } } })
  context.after(() => Reflect.deleteProperty(globalThis, 'window'))
  const done: string[] = []
  const picture = new EventTarget()
  onSwipe(picture as HTMLElement, {
    onMove: (dx) => done.push(`moved by ${dx}`),
    onSwipe: (step) => done.push(`turned by ${step}`),
    onCancel: () => done.push('let go'),
    onDown: () => done.push('closed'),
  })
  const touch = (type: string, clientX: number) => {
    const fingers = [{ clientX, clientY: 0 }]
    picture.dispatchEvent(Object.assign(new Event(type), { touches: fingers, changedTouches: fingers }))
  }
  touch('touchstart', 200)
  touch('touchmove', 100)
  touch('touchend', 100)
  return done
}

test('swipes are ignored on a zoomed page', (context) => {
  assert.deepEqual(swipeLeft(context, 1), ['moved by -100', 'let go', 'turned by 1'])
  assert.deepEqual(swipeLeft(context, 2), [])
})
