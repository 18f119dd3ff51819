import assert from 'node:assert/strict'
import test from 'node:test'
import { mergeRows, printMeasurements, replacePart, rowsIn, tellWhere } from './support/measurements.ts'

test('a command replaces its own part of the measurements and keeps the others', () => {
  const first = replacePart('', 'npm run scale', '## npm run scale\n\nold')
  const second = replacePart(first, 'npm run bench', '## npm run bench\n\nkept')
  const third = replacePart(second, 'npm run scale', '## npm run scale\n\nnew')
  assert.match(third, /^# Measurements\n[\s\S]*## npm run bench\n\nkept\n\n## npm run scale\n\nnew\n$/)
})

test('what was measured again takes the place of its line, the others stay', () => {
  const rows = [
    { what: 'one | two', beside: '', figure: '3', toReach: '4', isReached: true },
    { what: 'other', beside: 'bare: 1', figure: '5', toReach: '4', isReached: false },
  ]
  const part = printMeasurements('npm run scale', rows)
  assert.deepEqual(rowsIn(replacePart('', 'npm run scale', part), 'npm run scale'), rows)
  assert.deepEqual(rowsIn('', 'npm run scale'), [])
  const again = { ...rows[1]!, figure: '4', isReached: true }
  const fresh = { ...rows[0]!, what: 'new' }
  assert.deepEqual(mergeRows(rows, [fresh, again]), [rows[0], again, fresh])
})

test('a promise that is broken now does not stand there as kept, and one that holds again not as broken', () => {
  const kept = { what: 'kill -9: whole', beside: '', figure: '0', toReach: '0', isReached: true, by: 'kill-upload' }
  const other = { ...kept, what: 'disk full', by: 'disk-full' }
  const broken = { ...kept, what: 'kill-upload', figure: 'Expected 201', isReached: false }
  const page = replacePart('', 'npm run test:faults', printMeasurements('npm run test:faults', [kept, other]))
  assert.deepEqual(mergeRows(rowsIn(page, 'npm run test:faults'), [broken]), [other, broken])
  assert.deepEqual(mergeRows([other, broken], [kept]), [other, kept])
})

test('a line that stays from another machine or day says so, once', () => {
  const row = { what: 'disk full', beside: 'others took 3%', figure: '0', toReach: '0', isReached: true }
  const [old, present] = ['2026-01-01 · 4 cores (Old), 8 GiB · linux', '2026-02-02 · 2 cores (New), 8 GiB · linux']
  assert.equal(tellWhere(row, present, present), row)
  const told = tellWhere(row, old, present)
  assert.equal(told.beside, 'others took 3%; on 2026-01-01, 4 cores (Old), 8 GiB')
  assert.equal(tellWhere(told, present, '2026-03-03 · 2 cores (New), 8 GiB · linux'), told)
  assert.equal(tellWhere({ ...row, beside: '' }, old, present).beside, 'on 2026-01-01, 4 cores (Old), 8 GiB')
})
