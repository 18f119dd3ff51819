import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupByWebsite } from './by-website.ts'

const [acme, zoo] = [
  { id: 1, name: 'Acme' },
  { id: 2, name: 'Zoo' },
]
const collections = [
  { id: 10, websiteId: 2 },
  { id: 11, websiteId: 1 },
  { id: 12, websiteId: null },
  { id: 13, websiteId: 2 },
]
const told = (groups: ReturnType<typeof groupByWebsite<(typeof collections)[number]>>) =>
  groups.map((group) => [group.website?.name, group.collections.map(({ id }) => id)])

test('collections of several websites are grouped by website, those without one at the end', () => {
  assert.deepEqual(told(groupByWebsite(collections, [acme, zoo])), [
    ['Acme', [11]],
    ['Zoo', [10, 13]],
    [undefined, [12]],
  ])
})

test('collections of one website are not grouped', () => {
  const groups = groupByWebsite(collections, [zoo, { id: 3, name: 'Empty' }])
  assert.deepEqual(told(groups), [[undefined, [10, 11, 12, 13]]])
})
