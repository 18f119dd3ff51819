import assert from 'node:assert/strict'
import { test } from 'node:test'
import { itemDate } from './item-date.ts'

const dayMs = 24 * 3600_000
const now = Date.parse('2026-11-15T12:00:00Z')
const ago = (days: number) => new Date(now - days * dayMs).toISOString()

test('an item shows when it was added, or in the trash how many days are left', () => {
  assert.equal(itemDate({ createdAt: ago(3), trashedAt: null }, now), '3 days ago')
  assert.equal(itemDate({ createdAt: ago(300), trashedAt: ago(0) }, now), '30 days left')
  // The client's clock is behind the server's.
  assert.equal(itemDate({ createdAt: ago(300), trashedAt: ago(-0.0001) }, now), '30 days left')
  assert.equal(itemDate({ createdAt: ago(300), trashedAt: ago(28.5) }, now), '2 days left')
  assert.equal(itemDate({ createdAt: ago(300), trashedAt: ago(31) }, now), '1 day left', 'it will be deleted soon')
})
