import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPagePlaces, shortestWay } from './page-places.ts'

const place = (position: number) => ({ position, value: `row ${position}`, id: position })

test('a page is reached from the nearest of beginning, end and what is remembered', () => {
  const wayTo = (offset: number, ...known: number[]) => shortestWay(known.map(place), { offset, limit: 50 }, 100_000)
  assert.deepEqual(wayTo(300), { isBackwards: false, skip: 300 })
  assert.deepEqual(wayTo(99_950), { isBackwards: true, skip: 0 })
  assert.deepEqual(wayTo(60_000, 10, 59_000, 70_000), { from: place(59_000), isBackwards: false, skip: 1000 })
  assert.deepEqual(wayTo(60_000, 59_000, 60_050), { from: place(60_050), isBackwards: true, skip: 0 })
  // A place within the page helps neither way.
  assert.deepEqual(wayTo(60_000, 60_020), { isBackwards: true, skip: 39_950 })
})

test('a place is remembered for its list until something is written', () => {
  let version: string | undefined = '1'
  const places = createPagePlaces(() => version)
  places.of('a')!.remember(place(500))
  assert.deepEqual(places.of('a')!.places, [place(500)])
  assert.deepEqual(places.of('b')!.places, [])
  version = '2'
  assert.deepEqual(places.of('a')!.places, [])
})

test('what was read while somebody wrote is not remembered', () => {
  let version: string | undefined = '1'
  const places = createPagePlaces(() => version)
  const early = places.of('a')!
  version = '2'
  early.remember(place(500))
  assert.deepEqual(places.of('a')!.places, [])
  early.remember(place(500))
  assert.deepEqual(places.of('a')!.places, [])
  version = undefined
  assert.equal(places.of('a'), undefined)
})
