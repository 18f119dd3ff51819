import assert from 'node:assert/strict'
import { test } from 'node:test'
import { search, withItems } from './search.fixture.ts'

test('pages of many matches follow each other without gaps, ranked or sorted over all of them', async (context) => {
  const many = Array.from({ length: 1150 }, (_, index) => ({
    filename: `${index % 2 ? 'beach' : 'other'} ${(index * 7919) % 1150}.jpg`,
    user_description: 'beach',
    size: (index * 37) % 1000,
  }))
  const { ann, ids } = await withItems(context, many)
  const rows = many.map((row, index) => ({ ...row, id: ids[index]! }))
  const all = async (more: string) => {
    const collected: number[] = []
    for (let page = 1; page <= 6; page++) {
      const { media, pagination } = await search(ann, 'beach', `&limit=200&page=${page}${more}`)
      assert.equal(pagination.totalCount, 1150)
      collected.push(...media.map(({ id }) => id))
    }
    return collected
  }
  const bySize = rows.toSorted((a, b) => b.size - a.size || b.id - a.id).map(({ id }) => id)
  assert.deepEqual(await all('&sort=size'), bySize)
  assert.deepEqual(await all('&sort=recent'), rows.map(({ id }) => id).reverse())
  const ranked = await all('')
  assert.equal(new Set(ranked).size, 1150, 'every match appears once')
  const newest = rows.slice(-200).reverse()
  const expected = [
    ...newest.filter(({ filename }) => filename.startsWith('b')),
    ...newest.filter(({ filename }) => filename.startsWith('o')),
  ]
  assert.deepEqual(
    ranked.slice(0, 200),
    expected.map(({ id }) => id),
  )
  assert.deepEqual((await search(ann, 'beach', '&page=7&limit=200')).media, [])
})

test('a page does not wait until more than 10,000 matches are counted, and the exact count can be requested', async (context) => {
  const { ann } = await withItems(
    context,
    Array.from({ length: 10_050 }, (_, index) => ({ filename: `beach ${index % 7} ${index}.jpg` })),
  )
  const first = await search(ann, 'beach')
  assert.deepEqual([first.pagination.totalCount, first.pagination.isTotalCapped], [10_000, true])
  assert.deepEqual((await ann.get('/api/media/count?search=beach')).json(), { totalCount: 10_050 })
  const last = await search(ann, 'beach', '&limit=200&page=51')
  assert.deepEqual([last.media.length, last.pagination.hasNextPage, last.pagination.totalCount], [50, false, 10_050])
  const byName = await search(ann, 'beach', '&sort=name&limit=1')
  assert.equal(byName.media[0]!.filename, 'beach 0 0.jpg', 'the first by name among all')
  const fewer = await search(ann, 'beach 6 jpg 10')
  assert.equal(fewer.pagination.isTotalCapped, false)
})

test('in a very large library older items are counted only if the newest matches are few', async (context) => {
  const ids = (from: number, count: number, filename: string) =>
    Array.from({ length: count }, (_, index) => ({ id: from + index, filename: `${filename} ${index}.jpg` }))
  const { ann } = await withItems(context, [
    ...ids(1000, 40, 'beach'),
    ...ids(2000, 40, 'harbour'),
    ...ids(900_000, 700, 'beach'),
    ...ids(990_000, 210, 'harbour'),
  ])
  const many = (await search(ann, 'beach')).pagination
  assert.deepEqual([many.totalCount, many.isTotalCapped], [700, true])
  assert.deepEqual((await ann.get('/api/media/count?search=beach')).json(), { totalCount: 740 })
  const sorted = (await search(ann, 'beach', '&sort=name')).pagination
  assert.deepEqual([sorted.totalCount, sorted.isTotalCapped], [740, false], 'another order counts all matches')
  const few = (await search(ann, 'harbour')).pagination
  assert.deepEqual([few.totalCount, few.isTotalCapped], [250, false])
})
