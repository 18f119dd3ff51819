import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLibraryView } from '../../library-view.ts'
import { dateKindOf, groupByMonth, monthLabel } from './month-groups.ts'

const item = (createdAt: string, takenAt: string | null = null) => ({ createdAt, takenAt })

test('items are grouped by the month in which they were taken, or else added', () => {
  const media = [
    item('2026-03-01T00:00:00.000Z', '2019-07-31T23:30:00'),
    item('2026-03-02T00:00:00.000Z', '2019-07-01T00:00:00'),
    item('2019-06-30T23:59:59.000Z'),
  ]
  const monthsBy = (kind: 'taken' | 'added') =>
    groupByMonth(media, kind).map(({ month, first, items }) => [month, first, items.length])
  assert.deepEqual(monthsBy('taken'), [
    ['2019-07', 0, 2],
    ['2019-06', 2, 1],
  ])
  assert.deepEqual(monthsBy('added'), [
    ['2026-03', 0, 2],
    ['2019-06', 2, 1],
  ])
  assert.equal(monthLabel('2019-07'), 'July 2019')
})

test('only lists by date have months', () => {
  const kindOf = (search: string) => dateKindOf(parseLibraryView(search))
  assert.deepEqual(['', '?sort=taken&direction=asc', '?collection=3', '?search=dog&sort=recent'].map(kindOf), [
    'added',
    'taken',
    'added',
    'added',
  ])
  for (const search of ['?sort=name', '?search=dog', '?similar=3', '?filter=trash', '?collection=3&sort=manual'])
    assert.equal(kindOf(search), undefined, search)
})
