import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  filterNames,
  filterValues,
  joinSearch,
  parseSearch,
  printFilter,
  printSearch,
  rangeExamples,
  rangeOf,
  takeFilters,
} from './search-query.ts'

const fixed = Object.entries(filterValues).flatMap(([name, values]) => values.map((value) => `${name}:${value}`))
const ranges = Object.entries(rangeExamples).flatMap(([name, values]) => values.map((value) => `${name}:${value}`))
const piece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom(...fixed, ...ranges, '-', '"', '“', '”', '„', ' ', '  ', ':', '>', '..', 'http://a.b', 'note: x'),
  fc.constantFrom(...filterNames).map((name) => `${name}:`),
  fc.constantFrom('tag:"golden retriever"', '-tag:draft', 'in:"Coast 2026"', 'camera:canon', '-"no such"', '-cat'),
)
const anySearch = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))

test('any search is read back as the same search after it was printed', () => {
  fc.assert(
    fc.property(anySearch, (text) => {
      const { faults: _faults, ...parsed } = parseSearch(text)
      assert.deepEqual(parseSearch(printSearch(parsed)), { ...parsed, faults: [] })
    }),
    { numRuns: 2000 },
  )
})

test('a search has words, phrases, exclusions and filters in any order', () => {
  const text =
    'type:Video sea "black and white" -boat -"red car" -tag:draft IN:"Coast  2026" taken:2024..2025 is:favourite'
  assert.deepEqual(parseSearch(text), {
    words: ['sea'],
    phrases: ['black and white'],
    exclusions: [
      { text: 'boat', isPhrase: false },
      { text: 'red car', isPhrase: true },
    ],
    filters: [
      { name: 'type', value: 'video', isExcluded: false },
      { name: 'tag', value: 'draft', isExcluded: true },
      { name: 'in', value: 'Coast 2026', isExcluded: false },
      { name: 'taken', value: '2024..2025', isExcluded: false },
      { name: 'is', value: 'favorite', isExcluded: false },
    ],
    faults: [],
  })
})

test('an unknown word before a colon is part of an ordinary word', () => {
  const { words, filters, faults } = parseSearch('note: x http://a.example/b 12:30 basic:type:image')
  assert.deepEqual(words, ['note:', 'x', 'http://a.example/b', '12:30', 'basic:type:image'])
  assert.deepEqual([filters, faults], [[], []])
})

test('each wrong filter is answered with a sentence that says what is allowed', () => {
  const expected: [search: string, message: RegExp][] = [
    ['size:big', /"size:" needs a limit or range, such as size:>2mb, size:<500kb or size:1mb\.\.5mb\./],
    ['size:2mb', /such as size:>2mb/],
    ['is:nothing', /"is:" can be public, favorite, described, undescribed, noalt, duplicate or inbox\./],
    ['type:audio', /"type:" can be image or video\./],
    ['color:', /"color:" can be red, /],
    ['taken:2024-13', /"taken:" needs a year/],
    ['added:2024-02-30', /"added:" needs a year/],
    ['taken:2025..2024', /"taken:" needs a year/],
    ['width:>', /"width:" needs a number of pixels/],
    ['in:', /"in:" needs a name, such as in:"Coast 2026"\./],
    ['tag:""', /"tag:" needs a name/],
  ]
  for (const [search, message] of expected) {
    const { faults, filters } = parseSearch(search)
    assert.equal(faults.length, 1, search)
    assert.match(faults[0]!.message, message)
    assert.deepEqual([faults[0]!.text, filters], [search, []])
  }
})

test('limits and ranges include what they say', () => {
  const days = (value: string) => rangeOf({ name: 'taken', value })
  assert.deepEqual(days('2024'), { from: '2024-01-01', to: '2024-12-31' })
  assert.deepEqual(days('2024-02..2025-02'), { from: '2024-02-01', to: '2025-02-28' })
  assert.deepEqual(days('>2026-01'), { from: '2026-02-01' })
  assert.deepEqual(days('<2024-03'), { to: '2024-02-29' })
  assert.deepEqual(days('>=2024-05-17'), { from: '2024-05-17' })
  assert.deepEqual(days('..2020'), { to: '2020-12-31' })
  assert.deepEqual(rangeOf({ name: 'size', value: '>2mb' }), { from: 2 * 1024 ** 2 + 1 })
  assert.deepEqual(rangeOf({ name: 'size', value: '1.5mb..2gb' }), { from: 1.5 * 1024 ** 2, to: 2 * 1024 ** 3 })
  assert.deepEqual(rangeOf({ name: 'width', value: '1920' }), { from: 1920, to: 1920 })
  assert.deepEqual(rangeOf({ name: 'width', value: '<=800px' }), { to: 800 })
})

test('a search is the same after its filters were taken out and joined with its words again', () => {
  fc.assert(
    fc.property(anySearch, (text) => {
      const { filters, words } = takeFilters(text)
      const [joined, original] = [parseSearch(joinSearch(words, filters)), parseSearch(text)]
      assert.deepEqual(takeFilters(words).filters, [], 'no filter is left in the words')
      const prints = (parsed: typeof joined) => [...new Set(parsed.filters.map(printFilter))]
      assert.deepEqual(prints(joined), prints(original))
      const { filters: _joined, ...rest } = joined
      const { filters: _original, ...expected } = original
      assert.deepEqual(rest, expected)
    }),
    { numRuns: 2000 },
  )
})

test('a filter at the end stays in the text while it is typed, until a space or quotation mark ends it', () => {
  const texts = ['dog tag:be', 'dog tag:beach ', 'in:"Coast 2', 'in:"Coast 2026"', 'tag:sea dog ', 'color:beige ']
  assert.deepEqual(
    texts.map((text) => {
      const { filters, rest, words } = takeFilters(text, true)
      return [filters.map(printFilter).join(), rest, words]
    }),
    [
      ['', 'dog tag:be', 'dog'],
      ['tag:beach', 'dog ', 'dog'],
      ['', 'in:"Coast 2', ''],
      ['in:"Coast 2026"', '', ''],
      ['tag:sea', 'dog ', 'dog'],
      ['', 'color:beige ', 'color:beige'],
    ],
  )
})
