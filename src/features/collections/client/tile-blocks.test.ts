import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blocksInView } from './tile-blocks.ts'

test('of thousands of tiles only those in or near the viewport are rendered', () => {
  const list = { blockHeight: 1500, blocks: 100 }
  assert.deepEqual(blocksInView({ ...list, top: 100 }, 900), { first: 0, last: 1 })
  assert.deepEqual(blocksInView({ ...list, top: -75_000 }, 900), { first: 49, last: 51 })
  assert.deepEqual(blocksInView({ ...list, top: -149_500 }, 900), { first: 98, last: 99 })
  assert.deepEqual(blocksInView({ ...list, top: 100, blocks: 1 }, 900), { first: 0, last: 0 })
})
