import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareEmbeddings, packEmbedding, suggestFromNeighbours } from './similarity.ts'

const pack = (...numbers: number[]) => packEmbedding(Float32Array.from(numbers))

test('packed embeddings of any length keep their direction', () => {
  assert.ok(Math.abs(compareEmbeddings(pack(1, 2, 3), pack(10, 20, 30)) - 1) < 0.001)
  assert.ok(Math.abs(compareEmbeddings(pack(1, 0), pack(0, 1))) < 0.001)
  assert.ok(compareEmbeddings(pack(1, 2), pack(-1, -2)) < -0.99)
  assert.equal(compareEmbeddings(pack(0, 0), pack(1, 1)), 0)
  assert.throws(() => compareEmbeddings(pack(1), pack(1, 2)), /one length/)
})

test('an embedding that was cut out of a larger buffer is compared correctly', () => {
  const stored = Buffer.from([9, 9, ...pack(1, -2, 3)])
  assert.ok(compareEmbeddings(stored.subarray(2), pack(1, -2, 3)) > 0.999)
})

test('tags are suggested when two near pictures agree on them', () => {
  const near = [
    { embedding: pack(1, 0.1, 0), tags: ['garden', 'rose'] },
    { embedding: pack(1, 0, 0.1), tags: ['garden'] },
    { embedding: pack(0.9, 0.2, 0.1), tags: ['garden', 'summer', 'rose'] },
  ]
  const far = Array.from({ length: 5 }, () => ({ embedding: pack(0, 0, 1), tags: ['office'] }))
  const suggestions = suggestFromNeighbours(pack(1, 0, 0), [...near, ...far])
  assert.deepEqual(
    suggestions.map(({ name, count }) => [name, count]),
    [
      ['garden', 3],
      ['rose', 2],
    ],
  )
  assert.ok(suggestions[0]!.score > 0.99 && suggestions[1]!.score < 0.7)
})

test('a single similar picture is not enough to suggest tags', () => {
  assert.deepEqual(suggestFromNeighbours(pack(1, 0), [{ embedding: pack(1, 0), tags: ['mine'] }]), [])
})
