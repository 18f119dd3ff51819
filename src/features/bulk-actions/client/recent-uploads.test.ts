import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { selectRecentUploads } from './recent-uploads.ts'

const at = (...seconds: number[]) =>
  seconds.map((second, index) => ({ id: index + 1, createdAt: new Date(second * 1000).toISOString() }))

test('nothing is selected if nothing was uploaded, and a single item is selected alone', () => {
  assert.deepEqual(selectRecentUploads([]), { ids: [], spanMinutes: 0 })
  assert.deepEqual(selectRecentUploads(at(100)).ids, [1])
})

test('the upload session ends at the first gap above three times the median', () => {
  // Gaps from the newest item backwards: 2, 2, 2, 600 s. The median is 2 s, so the limit is 10 s.
  assert.deepEqual(selectRecentUploads(at(0, 600, 602, 604, 606)).ids, [5, 4, 3, 2])
})

test('the gap limit is between 10 seconds and 5 minutes', () => {
  assert.deepEqual(selectRecentUploads(at(0, 10, 11, 12, 13)).ids.length, 5, 'a gap of exactly 10 s still belongs')
  assert.deepEqual(selectRecentUploads(at(0, 11, 12, 13, 14)).ids.length, 4)
  assert.deepEqual(selectRecentUploads(at(0, 300, 600, 900)).ids.length, 4, 'gaps of exactly 5 minutes belong')
  assert.deepEqual(selectRecentUploads(at(0, 301, 602, 903)).ids.length, 1)
})

test('the span of the upload session is given in minutes', () => {
  assert.equal(selectRecentUploads(at(0, 120, 240, 360)).spanMinutes, 6)
})

test('any list of upload times selects the newest item and an unbroken run, in any input order', () => {
  const uploads = fc.array(fc.record({ id: fc.nat(), second: fc.integer({ min: 0, max: 100_000 }) }), {
    minLength: 1,
    maxLength: 60,
  })
  fc.assert(
    fc.property(uploads, (drawn) => {
      const list = drawn.map(({ second }, id) => ({ id, createdAt: new Date(second * 1000).toISOString() }))
      const newestFirst = list.toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt) || b.id - a.id)
      const { ids } = selectRecentUploads(list)
      assert.deepEqual(
        ids,
        newestFirst.slice(0, ids.length).map(({ id }) => id),
      )
      assert.deepEqual(selectRecentUploads(list.toReversed()).ids, ids)
      const next = newestFirst[ids.length]
      const last = newestFirst[ids.length - 1]!
      if (next) assert.ok(Date.parse(last.createdAt) - Date.parse(next.createdAt) > 10_000)
    }),
    { seed: 20_261_115 },
  )
})
