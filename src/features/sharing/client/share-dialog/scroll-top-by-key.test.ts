import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scrollTopByKey } from './scroll-top-by-key.ts'

const page = { scrollTop: 1000, clientHeight: 540, scrollHeight: 3000 }
const press = { shiftKey: false, ctrlKey: false, altKey: false, metaKey: false }

test('keys scroll the inert preview as they would scroll a window', () => {
  const tops = { ArrowUp: 960, ArrowDown: 1040, PageUp: 500, PageDown: 1500, ' ': 1500, Home: 0, End: 3000 }
  for (const [key, top] of Object.entries(tops)) assert.equal(scrollTopByKey({ ...press, key }, page), top, key)
  assert.equal(scrollTopByKey({ ...press, key: ' ', shiftKey: true }, page), 500)
})

test('keys that do not scroll are ignored', () => {
  for (const key of ['Tab', 'Escape', 'a']) assert.equal(scrollTopByKey({ ...press, key }, page), undefined)
  assert.equal(scrollTopByKey({ ...press, key: 'End', ctrlKey: true }, page), undefined)
})
