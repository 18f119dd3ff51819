import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usedBytes } from './mp4-used-bytes.ts'

const unusedBytes = 16

/** How much counts of a box that contains these numbers of four bytes each, and bytes behind them that mean nothing. */
async function usedOf(type: string, numbers: number[]) {
  const bytes = Buffer.alloc(numbers.length * 4 + unusedBytes)
  for (const [index, value] of numbers.entries()) bytes.writeUInt32BE(value, index * 4)
  const read = async (at: number, length: number) => bytes.subarray(at, at + length)
  const reader = { size: bytes.length, read, readSome: (at: number) => read(at, bytes.length), clone: () => reader }
  return usedBytes(reader, { type, start: 0, payload: 0, end: bytes.length })
}

test('the description of each channel of sound counts in addition to the bits of its layout', async () => {
  const [layout, bits, count] = [0, 0xffff, 2]
  const descriptions = Array.from({ length: count * 5 }, () => 1)
  assert.equal(await usedOf('chan', [0, layout, bits, count, ...descriptions]), 16 + count * 20)
})

test('all seven numbers of the light of a screen count', async () => {
  assert.equal(await usedOf('SmDm', [0, 1, 2, 3, 4, 5, 6]), 28)
})
