import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countOf } from './count.ts'
import { relativeDate } from './dates.ts'
import { formatDuration } from './duration.ts'

test('countOf uses the singular for 1 and the plural otherwise', () => {
  assert.deepEqual(
    [countOf(0, 'item'), countOf(1, 'item'), countOf(1200, 'item'), countOf(2, 'copy', 'copies')],
    ['0 items', '1 item', '1,200 items', '2 copies'],
  )
})

test('formatDuration shows minutes and seconds', () => {
  assert.deepEqual([0, 7, 59.6, 754, 4500].map(formatDuration), ['0:00', '0:07', '1:00', '12:34', '75:00'])
})

test('relativeDate counts days, then weeks, then shows the date', () => {
  const now = Date.parse('2026-03-31T12:00:00Z')
  const ago = (days: number) => relativeDate(new Date(now - days * 86_400_000).toISOString(), now)
  assert.deepEqual([0, 1, 2, 6, 7, 13, 14, 29].map(ago), [
    'Today',
    '1 day ago',
    '2 days ago',
    '6 days ago',
    '1 week ago',
    '1 week ago',
    '2 weeks ago',
    '4 weeks ago',
  ])
  assert.equal(ago(30), new Date(now - 30 * 86_400_000).toLocaleDateString())
  assert.equal(ago(-1), 'Today', 'a clock that is a little ahead')
})

test('relativeDate counts calendar days, so last evening is 1 day ago', () => {
  const morning = new Date(2026, 2, 31, 8, 30).getTime()
  const at = (...time: [day: number, hours: number, minutes: number]) =>
    relativeDate(new Date(2026, 2, ...time).toISOString(), morning)
  assert.deepEqual(
    [at(31, 0, 5), at(30, 23, 10), at(30, 7, 0), at(29, 23, 55), at(24, 23, 55)],
    ['Today', '1 day ago', '1 day ago', '2 days ago', '1 week ago'],
  )
})
