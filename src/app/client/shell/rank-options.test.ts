import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rankOptions } from './rank-options.ts'

const item = (label: string) => ({ id: label, label, group: 'Items' })

test('items whose name begins with what was typed come before others that were found', () => {
  const found = ['river-bend.jpg', 'a sheep.jpg', 'bear.jpg'].map(item)
  const [group] = rankOptions({ query: 'be', options: [], found }, [])
  assert.deepEqual(
    group!.options.map(({ label }) => label),
    ['bear.jpg', 'river-bend.jpg', 'a sheep.jpg'],
  )
})

test('what was chosen lately comes before an equally good fit', () => {
  const options = ['Images', 'Import'].map((label) => ({ id: label, label, group: 'Places' }))
  const [group] = rankOptions({ query: 'im', options, found: [] }, [{ id: 'Import', label: 'Import' }])
  assert.equal(group!.options[0]!.label, 'Import')
})
