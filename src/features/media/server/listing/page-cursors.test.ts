import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPageCursors, planRead } from './page-cursors.ts'

const cursor = (position: number) => ({ position, value: `row ${position}`, id: position })

test('a page is read from the nearest of the beginning, the end and a cursor', () => {
  const planFor = (offset: number, ...known: number[]) => planRead(known.map(cursor), { offset, limit: 50 }, 100_000)
  assert.deepEqual(planFor(300), { isBackwards: false, skip: 300 })
  assert.deepEqual(planFor(99_950), { isBackwards: true, skip: 0 })
  assert.deepEqual(planFor(60_000, 10, 59_000, 70_000), { from: cursor(59_000), isBackwards: false, skip: 1000 })
  assert.deepEqual(planFor(60_000, 59_000, 60_050), { from: cursor(60_050), isBackwards: true, skip: 0 })
  // A cursor inside the page is useful in neither direction.
  assert.deepEqual(planFor(60_000, 60_020), { isBackwards: true, skip: 39_950 })
})

test('a cursor is kept for its list until something is written', () => {
  let version: string | undefined = '1'
  const cursors = createPageCursors(() => version)
  cursors.of('a')!.remember(cursor(500))
  assert.deepEqual(cursors.of('a')!.cursors, [cursor(500)])
  assert.deepEqual(cursors.of('b')!.cursors, [])
  version = '2'
  assert.deepEqual(cursors.of('a')!.cursors, [])
})

test('a page that was read during a write leaves no cursor', () => {
  let version: string | undefined = '1'
  const cursors = createPageCursors(() => version)
  const early = cursors.of('a')!
  version = '2'
  early.remember(cursor(500))
  assert.deepEqual(cursors.of('a')!.cursors, [])
  early.remember(cursor(500))
  assert.deepEqual(cursors.of('a')!.cursors, [])
  version = undefined
  assert.equal(cursors.of('a'), undefined)
})
