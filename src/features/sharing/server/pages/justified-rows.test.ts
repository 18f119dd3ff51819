import assert from 'node:assert/strict'
import { test } from 'node:test'
import { justifiedRows } from './justified-rows.ts'

/** The lengths of the rows at each width. */
function rowLengths(ratios: number[]) {
  return justifiedRows(ratios)!.map(({ tiles }) => {
    const lengths: number[] = []
    for (let index = 0; index < tiles.length; index += lengths.at(-1)!) lengths.push(tiles[index]!.neighbors + 1)
    return lengths
  })
}

test('few tiles fill rows that grow with the width of the page', () => {
  const equal = (count: number) => Array.from({ length: count }, () => 1.5)
  assert.deepEqual(rowLengths(equal(4)), [[2, 2], [4], [4], [4]])
  assert.deepEqual(rowLengths(equal(6)), [[3, 3], [3, 3], [3, 3], [6]])
  assert.deepEqual(rowLengths(equal(12)), [
    [3, 3, 3, 3],
    [4, 4, 4],
    [4, 4, 4],
    [6, 6],
  ])
  for (const lengths of rowLengths(equal(7))) assert.ok(Math.min(...lengths) > 1, 'no tile is alone in its row')
})

test('a panorama gets a row of its own, and the tiles of a row share its width by their shape', () => {
  assert.deepEqual(rowLengths([3, 0.75, 1.5, 0.75])[0], [1, 3])
  const [narrowest] = justifiedRows([1.5, 0.5])!
  assert.deepEqual(
    narrowest!.tiles.map(({ share }) => share),
    [0.75, 0.25],
  )
})

test('one tile, and more tiles than a screen shows, are not divided into rows', () => {
  assert.equal(justifiedRows([1.5]), undefined)
  assert.equal(justifiedRows(Array.from({ length: 13 }, () => 1)), undefined)
})
