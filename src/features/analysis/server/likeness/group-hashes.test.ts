import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupHashes } from './group-hashes.ts'

const hashes = [
  '1:0f1e2d3c4b5a6978 2:0f1e2d3c4b5a697b 3:8f1e2d3c4b5a697b 4:f0e1d2c3b4a59687',
  '5:0000000000000000 6:0000000000000001 7:123456789abcdef0 8:123456789abcdef0',
]

test('hashes that differ in a few bits form a group, and flat or distant pictures do not', () => {
  assert.deepEqual(groupHashes({ hashes, sameBytes: [], different: '', versions: '' }), [
    [8, 7],
    [3, 2, 1],
  ])
})

test('up to five bits of a hash may differ, in any position', () => {
  const hash = 0x3c5a_96e1_78d2_b4c3n
  const asEntry = (id: number, bits: bigint) => `${id}:${bits.toString(16).padStart(16, '0')}`
  for (let from = 0; from < 64; from++) {
    const flipped = [0, 11, 23, 37, 52, 63].map((step) => 1n << BigInt((from + step) % 64))
    const [five, six] = [5, 6].map((count) => flipped.slice(0, count).reduce((bits, bit) => bits ^ bit, hash))
    const entries = (other: bigint) => [asEntry(1, hash), asEntry(2, other)]
    assert.deepEqual(
      groupHashes({ hashes: entries(five!), sameBytes: [], different: '', versions: '' }),
      [[2, 1]],
      `from bit ${from}`,
    )
    assert.deepEqual(
      groupHashes({ hashes: entries(six!), sameBytes: [], different: '', versions: '' }),
      [],
      `from bit ${from}`,
    )
  }
})

test('identical bytes join groups whose hashes are distant and form groups of their own', () => {
  assert.deepEqual(groupHashes({ hashes, sameBytes: ['4 8', '10 9 11'], different: '', versions: '' }), [
    [11, 10, 9],
    [8, 7, 4],
    [3, 2, 1],
  ])
})

test('an item marked as different from all others leaves its group, and an item similar to both sides keeps a group together', () => {
  assert.deepEqual(groupHashes({ hashes, sameBytes: [], different: '7:8 1:3 2:3', versions: '' }), [[2, 1]])
  assert.deepEqual(groupHashes({ hashes, sameBytes: ['2 9'], different: '7:8 1:3 2:3', versions: '' }), [[9, 3, 2, 1]])
})

test('twenty thousand copies of one picture form one group', () => {
  const ids = Array.from({ length: 20_000 }, (_, index) => index + 1)
  const copies = ids.map((id) => `${id}:123456789abcdef0`).join(' ')
  const [group, ...others] = groupHashes({
    hashes: [copies],
    sameBytes: [ids.join(' ')],
    different: '1:2',
    versions: '',
  })
  assert.deepEqual([group!.length, group![0], others.length], [20_000, 20_000, 0])
})

test('of several versions of a picture the oldest stands for them, and versions alone are no group', () => {
  const sameBytes = ['4 8 9']
  assert.deepEqual(groupHashes({ hashes, sameBytes, different: '', versions: '2:1 3:1 8:7 9:7' }), [[7, 4]])
  assert.deepEqual(groupHashes({ hashes, sameBytes: [], different: '', versions: '3:2' }), [
    [8, 7],
    [2, 1],
  ])
})
