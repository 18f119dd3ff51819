import assert from 'node:assert/strict'
import test from 'node:test'
import { replacePart } from './support/measurements.ts'

test('a command replaces its own section of the measurements and keeps the other sections', () => {
  const first = replacePart('', 'npm run scale', '## npm run scale\n\nold')
  const second = replacePart(first, 'npm run bench', '## npm run bench\n\nkept')
  const third = replacePart(second, 'npm run scale', '## npm run scale\n\nnew')
  assert.match(third, /^# Measurements\n[\s\S]*## npm run bench\n\nkept\n\n## npm run scale\n\nnew\n$/)
})
