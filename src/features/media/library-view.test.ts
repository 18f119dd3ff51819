import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  changeLibraryView,
  defaultView,
  formatLibraryView,
  type LibraryView,
  libraryAddress,
  libraryFilters,
  openList,
  openSimilar,
  openUnfiltered,
  pageQuery,
  parseLibraryView,
  preferredView,
  rememberedIn,
  shownDirection,
  shownSort,
  sortBy,
  turnTo,
} from './library-view.ts'
import { directions, pageSizes, sorts } from './limits.ts'

test('the default library view has no query string', () => {
  assert.deepEqual(parseLibraryView(''), {
    ...defaultView,
    collectionId: undefined,
    similarToId: undefined,
    example: undefined,
    sort: undefined,
    direction: undefined,
    itemId: undefined,
  })
  assert.equal(libraryAddress(defaultView), '/')
})

test('a view is unchanged after formatting and parsing it', () => {
  const id = fc.option(fc.integer({ min: 1 }), { nil: undefined })
  const views = fc.record<LibraryView>({
    filter: fc.constantFrom(...libraryFilters),
    collectionId: id,
    search: fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
    similarToId: id,
    example: fc.option(fc.stringMatching(/^[\w-]{1,171}$/), { nil: undefined }),
    sort: fc.option(fc.constantFrom(...sorts), { nil: undefined }),
    direction: fc.option(fc.constantFrom(...directions), { nil: undefined }),
    page: fc.integer({ min: 1 }),
    pageSize: fc.constantFrom(...pageSizes),
    layout: fc.constantFrom('grid', 'list'),
    tab: fc.constantFrom('media', 'collections'),
    itemId: id,
  })
  fc.assert(
    fc.property(views, (view) => assert.deepEqual(parseLibraryView(`?${formatLibraryView(view)}`), { ...view })),
    { seed: 20_261_115 },
  )
})

test('invalid values in the query string count as absent', () => {
  const nonsense =
    '?filter=nothing&collection=-3&sort=colour&direction=up&page=0&pageSize=51&layout=circle&tab=x&item=1.5&other=1'
  assert.deepEqual(parseLibraryView(nonsense), parseLibraryView(''))
})

test('another search, page size, filter, collection or order starts at page 1', () => {
  const view = { ...parseLibraryView('?page=4&search=dog'), itemId: 7 }
  const changes: Partial<LibraryView>[] = [
    { search: 'cat' },
    { pageSize: 100 },
    { filter: 'images' },
    { collectionId: 3 },
    { sort: 'name' },
  ]
  for (const change of changes) assert.equal(changeLibraryView(view, change).page, 1, JSON.stringify(change))
})

test('changing the layout or opening an item keeps the page', () => {
  const view = parseLibraryView('?page=4&search=dog')
  for (const change of [{ layout: 'list' as const }, { itemId: 9 }, { search: 'dog' }])
    assert.equal(changeLibraryView(view, change).page, 4)
  assert.equal(changeLibraryView(view, { search: 'cat', page: 2 }).page, 2)
})

test('opening a filter clears the collection and keeps search, order and layout', () => {
  const view = parseLibraryView('?collection=3&search=dog&page=2&sort=name&layout=list&tab=collections&item=5')
  const images = changeLibraryView(view, openList({ filter: 'images' }))
  assert.equal(formatLibraryView(images), 'filter=images&search=dog&sort=name&layout=list')
  const collection = changeLibraryView(images, openList({ collectionId: 8 }))
  assert.equal(formatLibraryView(collection), 'search=dog&sort=name&layout=list&collection=8')
  const whole = changeLibraryView(images, openUnfiltered(8))
  assert.equal(formatLibraryView(whole), 'sort=name&layout=list&collection=8')
})

test('similar items replace the current list, and another filter or search replaces them', () => {
  const view = parseLibraryView('?collection=3&search=dog&page=2&layout=list&item=5')
  const similar = changeLibraryView(view, openSimilar({ similarToId: 8 }))
  assert.equal(formatLibraryView(similar), 'layout=list&similar=8')
  assert.equal(
    formatLibraryView(changeLibraryView(similar, openSimilar({ example: 'abc' }))),
    'example=abc&layout=list',
  )
  assert.equal(formatLibraryView(changeLibraryView(similar, { itemId: 9 })), 'layout=list&similar=8&item=9')
  for (const change of [{ search: 'cat' }, openList({ filter: 'videos' }), openList({ filter: 'all' })])
    assert.equal(changeLibraryView(similar, change).similarToId, undefined, JSON.stringify(change))
})

test('a collection shows its manual order, and a search shows the best matches first', () => {
  const sortIn = (search: string) => shownSort(parseLibraryView(search))
  assert.deepEqual(
    ['', '?collection=3&sort=manual', '?sort=manual', '?collection=3&search=dog&sort=manual', '?search=dog'].map(
      sortIn,
    ),
    ['recent', 'manual', 'recent', undefined, undefined],
  )
  assert.equal(sortBy(parseLibraryView(''), 'recent').sort, undefined)
  assert.equal(sortBy(parseLibraryView('?search=dog'), 'recent').sort, 'recent')
})

test('a page may have 25, 50, 100 or 200 items', () => {
  assert.deepEqual(pageSizes, [25, 50, 100, 200])
})

test('the URL wins over what the user prefers, and the preference holds where the URL says nothing', () => {
  const preferred = preferredView({ layout: 'list', pageSize: 100, sort: 'name' })
  const read = (search: string) => {
    const { layout, pageSize, sort } = parseLibraryView(search, preferred)
    return [layout, pageSize, sort]
  }
  assert.deepEqual(read(''), ['list', 100, 'name'])
  assert.deepEqual(read('?layout=grid&pageSize=50&sort=recent'), ['grid', 50, 'recent'])
  assert.deepEqual(read('?search=dog'), ['list', 100, undefined], 'a search shows its best matches first')
  assert.deepEqual(preferredView({ layout: 'circle', pageSize: 51, sort: 'manual' }), preferredView({}))
})

test('a view is unchanged after formatting and parsing it with any preferences', () => {
  const preferred = preferredView({ layout: 'list', pageSize: 100, sort: 'name' })
  for (const search of [
    '',
    '?layout=grid',
    '?sort=recent',
    '?search=dog&sort=name',
    '?sort=size',
    '?sort=size&direction=asc',
  ]) {
    const view = parseLibraryView(search, preferred)
    assert.deepEqual(parseLibraryView(`?${formatLibraryView(view, preferred)}`, preferred), view, search)
  }
})

test('a search leaves the preferred order, which returns after it', () => {
  const preferred = preferredView({ sort: 'name' })
  const view = parseLibraryView('', preferred)
  const searching = changeLibraryView(view, { search: 'dog' }, preferred)
  assert.equal(searching.sort, undefined)
  assert.equal(changeLibraryView(searching, { search: '' }, preferred).sort, 'name')
  const chosen = changeLibraryView({ ...view, sort: 'size' }, { search: 'dog' }, preferred)
  assert.equal(chosen.sort, 'size', 'another order stays')
})

test("a chosen layout, page size and order are remembered, and a collection's own order is not", () => {
  const view = parseLibraryView('')
  assert.deepEqual(rememberedIn({ layout: 'list' }, view), { layout: 'list' })
  assert.deepEqual(rememberedIn({ sort: undefined }, view), { sort: 'recent' })
  assert.deepEqual(rememberedIn({ sort: 'manual' }, { ...view, sort: 'manual' }), {})
  assert.deepEqual(rememberedIn({ sort: 'name' }, { ...view, search: 'dog', sort: 'name' }), {})
  assert.deepEqual(rememberedIn(openList({ filter: 'images' }), view), {})
})

test('each order has its usual direction, and another one is in the address until the order changes', () => {
  const directionIn = (search: string) => shownDirection(parseLibraryView(search))
  assert.deepEqual(
    ['', '?sort=name', '?sort=size', '?sort=taken&direction=asc', '?search=dog', '?collection=3&sort=manual'].map(
      directionIn,
    ),
    ['desc', 'asc', 'desc', 'asc', undefined, undefined],
  )
  const view = parseLibraryView('?sort=size&page=3')
  const turned = changeLibraryView(view, turnTo(view, 'asc'))
  assert.equal(formatLibraryView(turned), 'sort=size&direction=asc')
  assert.equal(formatLibraryView(changeLibraryView(turned, turnTo(turned, 'desc'))), 'sort=size')
  assert.equal(formatLibraryView(changeLibraryView(turned, sortBy(turned, 'name'))), 'sort=name')
})

test('a direction is remembered with its order, and the best matches of a search have none', () => {
  const view = parseLibraryView('?direction=asc')
  assert.deepEqual(rememberedIn({ direction: 'asc' }, view), { sort: 'recent asc' })
  for (const remembered of ['recent asc', 'size asc', 'name desc']) {
    const preferred = preferredView({ sort: remembered })
    const usual = parseLibraryView('', preferred)
    assert.deepEqual(rememberedIn({ sort: usual.sort }, usual), { sort: remembered })
    const searching = changeLibraryView(usual, { search: 'dog' }, preferred)
    assert.deepEqual([searching.sort, searching.direction], [undefined, undefined])
    const after = changeLibraryView(searching, { search: '' }, preferred)
    assert.deepEqual([after.sort, after.direction], [usual.sort, usual.direction])
    // Another order in the address is not mixed with the remembered direction.
    assert.equal(parseLibraryView('?sort=taken', preferred).direction, undefined)
    const newest = { ...usual, sort: undefined, direction: undefined }
    assert.equal(shownDirection(parseLibraryView(`?${formatLibraryView(newest, preferred)}`, preferred)), 'desc')
  }
  const query = pageQuery({ ...parseLibraryView('?search=dog'), direction: 'asc' })
  assert.equal('direction' in query && query.direction, undefined)
})
