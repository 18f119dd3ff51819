import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrationProgress } from './migration-progress.ts'

const there = { isRunning: true, migrated: 0, copies: 40, total: 40, files: 40, onlyThere: 0 } as const

test('the progress of copying goes from zero to all items', () => {
  const state = { ...there, direction: 'out', copies: 10, migrated: 10 } as const
  assert.deepEqual(migrationProgress(state), { label: 'Copying to ImageKit', value: 25, detail: '10 of 40' })
})

test('the progress of removing local files starts at zero, although all are at ImageKit', () => {
  const state = { ...there, direction: 'free' } as const
  assert.deepEqual(migrationProgress(state), { label: 'Removing local copies', value: 0, detail: '0 of 40' })
  assert.equal(migrationProgress({ ...state, onlyThere: 30, migrated: 30 }).value, 75)
})

test('the progress of moving back increases while ImageKit empties', () => {
  const state = { ...there, direction: 'back', onlyThere: 40 } as const
  assert.deepEqual(migrationProgress(state), { label: 'Moving files back', value: 0, detail: '0 of 40' })
  const later = { ...state, migrated: 30, copies: 10, files: 10, onlyThere: 10 }
  assert.deepEqual(migrationProgress(later), { label: 'Moving files back', value: 75, detail: '30 of 40' })
})

test('without a running migration the bar shows how many items are at ImageKit', () => {
  const state = { ...there, isRunning: false, direction: 'back', copies: 1000, total: 4000 } as const
  assert.deepEqual(migrationProgress(state), { label: 'Items at ImageKit', value: 25, detail: '1,000 of 4,000' })
})
