import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchesOf, chunksOf } from './chunks.ts'

async function* oneByOne(list: number[]) {
  yield* list
}

test('chunksOf and batchesOf fill each part, put the remainder in the last one and yield no empty part', async () => {
  const cases: [number[], number[][]][] = [
    [[], []],
    [[1], [[1]]],
    [
      [1, 2, 3, 4],
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [
      [1, 2, 3, 4, 5],
      [[1, 2], [3, 4], [5]],
    ],
  ]
  for (const [list, parts] of cases) {
    assert.deepEqual([...chunksOf(list, 2)], parts)
    assert.deepEqual(await Array.fromAsync(batchesOf(oneByOne(list), 2)), parts)
  }
})
