import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeView, firstView, pageOf, pageSummary, resultPageSizes } from './result-pages.ts'

const sixty = Array.from({ length: 60 }, (_, index) => index)

test('results come in pages of 24 unless another size is chosen', () => {
  const first = pageOf(sixty, firstView)
  assert.deepEqual([first.items.length, first.pageCount, first.hasPrevious, first.hasNext], [24, 3, false, true])
  assert.equal(pageSummary(first, 60), 'Page 1 of 3, Showing 24 of 60 images')
  const last = pageOf(sixty, { ...firstView, page: 3 })
  assert.deepEqual([last.items.at(0), last.items.length, last.hasPrevious, last.hasNext], [48, 12, true, false])
  assert.equal(pageSummary(last, 60), 'Page 3 of 3, Showing 12 of 60 images')
})

test('a page beyond the last shows the last, and no results are one empty page', () => {
  assert.equal(pageOf(sixty, { page: 9, pageSize: 96 }).page, 1)
  assert.equal(pageSummary(pageOf([], firstView), 0), 'Page 1 of 1, Showing 0 of 0 images')
})

test('changing the page size returns to the first page, changing the layout does not', () => {
  const third = { ...firstView, page: 3 }
  assert.deepEqual(changeView(third, { pageSize: 12 }), { layout: 'grid', page: 1, pageSize: 12 })
  assert.deepEqual(changeView(third, { layout: 'list' }), { layout: 'list', page: 3, pageSize: 24 })
})

test('a page may have 12, 24, 48 or 96 results', () => {
  assert.deepEqual(resultPageSizes, [12, 24, 48, 96])
})
