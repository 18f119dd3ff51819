import { type ColorName, type FlagName, filterValues, rangeOf, type SearchFilter } from '../../search-query.ts'
import type { Days, Range } from '../../search-ranges.ts'
import { colorNamesOf } from './color-names.ts'

/**
 * [Note: Marks]
 * Each property that a search can be filtered by is a number in the index next to the words, so that one index intersects them all.
 * Ordered values have a mark on each of several levels, each a multiple of the level below: a range is found by the few
 * marks that cover it, at most six on a level.
 */
export type Mark = number
/** Any one of the marks, or none of them. */
export type MarkClause = { anyOf: Mark[]; isExcluded: boolean }

const valueBits = 25
const kinds = [
  'any',
  'flag',
  'type',
  'shape',
  'format',
  'color',
  'collection',
  'facet',
  'taken',
  'added',
  'size',
  'width',
] as const
type Kind = (typeof kinds)[number]

/** At most 30 bits. */
const markOf = (kind: Kind, value: number): Mark => kinds.indexOf(kind) * 2 ** valueBits + (value % 2 ** valueBits)

/** Every item has it, since nothing can be excluded from nothing. */
export const anyItem = markOf('any', 0)
export const collectionMark = (id: number) => markOf('collection', id)
export const facetMark = (id: number) => markOf('facet', id)

type Flag = Exclude<FlagName, 'duplicate'>
const flags: Flag[] = ['public', 'favorite', 'described', 'undescribed', 'noalt', 'inbox']
const flagMark = (flag: Flag) => markOf('flag', flags.indexOf(flag))

const listedMark = (kind: 'type' | 'shape' | 'format' | 'color', value: string) =>
  markOf(kind, (filterValues[kind] as readonly string[]).indexOf(value))

type MarkedFacts = {
  type: 'image' | 'video'
  mime_type: string
  size: number
  width: number | null
  height: number | null
  colours: string | null
  dated_at: string
  created_at: number
  is_favorite: number
  is_decorative: number
  public_slug: string | null
  user_description: string | null
  ai_description: string | null
  alt_texts: string | null
}

/** The marks of an item. `facetIds`: its tags, camera and place. */
export function marksOf(item: MarkedFacts, collectionIds: number[], facetIds: number[]): Mark[] {
  const format = formatOf(item.mime_type)
  const added = new Date(item.created_at).toISOString().slice(0, 10)
  return [
    anyItem,
    listedMark('type', item.type),
    ...flags.filter((flag) => hasFlag[flag](item, collectionIds)).map(flagMark),
    ...(format ? [listedMark('format', format)] : []),
    ...(item.width && item.height ? [listedMark('shape', shapeOf(item.width, item.height))] : []),
    ...colorsOf(item).map((color) => listedMark('color', color)),
    ...collectionIds.map(collectionMark),
    ...facetIds.map(facetMark),
    ...dayMarks('taken', item.dated_at.slice(0, 10)),
    ...dayMarks('added', added),
    ...levelMarks('size', sizeStep(item.size)),
    ...(item.width ? levelMarks('width', Math.min(item.width, scales.width.most)) : []),
  ]
}

const hasFlag: Record<Flag, (item: MarkedFacts, collectionIds: number[]) => boolean> = {
  public: (item) => item.public_slug !== null,
  favorite: (item) => item.is_favorite === 1,
  described: (item) => Boolean(item.user_description || item.ai_description),
  // A mark of its own: "not described" would pass over every described item.
  undescribed: (item) => !item.user_description && !item.ai_description,
  noalt: (item) => item.type === 'image' && item.is_decorative === 0 && !item.alt_texts,
  inbox: (_item, collectionIds) => collectionIds.length === 0,
}

function formatOf(mimeType: string) {
  const name = mimeType.split('/')[1]!
  const usual = { quicktime: 'mov', 'x-msvideo': 'avi' }[name] ?? name
  return filterValues.format.find((format) => format === usual)
}

/** Nearly square counts as square. */
function shapeOf(width: number, height: number) {
  const ratio = width / height
  if (ratio > 0.97 && ratio < 1.03) return 'square'
  return ratio > 1 ? 'landscape' : 'portrait'
}

function colorsOf({ colours }: MarkedFacts): ColorName[] {
  return colours ? colorNamesOf(JSON.parse(colours) as string[]) : []
}

/** How many values of a level one of the next level stands for, and the highest value. */
const scales = {
  taken: { steps: [31, 12, 10], most: 0 },
  added: { steps: [31, 12, 10], most: 0 },
  size: { steps: [4, 4, 4, 4, 4, 4, 4, 4], most: 4 * 20_480 - 1 },
  width: { steps: [4, 4, 4, 4, 4, 4], most: 16_383 },
}
type Scale = keyof typeof scales

const levelMark = (kind: Scale, level: number, value: number) => markOf(kind, level * 2 ** 21 + value)

function levelMarks(kind: Scale, value: number): Mark[] {
  const marks = [levelMark(kind, 0, value)]
  scales[kind].steps.forEach((step, level) => {
    value = Math.floor(value / step)
    marks.push(levelMark(kind, level + 1, value))
  })
  return marks
}

/** The marks that cover a range, on the highest levels possible. */
function coverRange(kind: Scale, from: number, to: number): Mark[] {
  const marks: Mark[] = []
  const { steps } = scales[kind]
  for (let level = 0; from <= to; level++) {
    const step = steps[level]
    const isEdge = (value: number) => step === undefined || value % step !== 0
    while (from <= to && isEdge(from)) marks.push(levelMark(kind, level, from++))
    while (from <= to && isEdge(to + 1)) marks.push(levelMark(kind, level, to--))
    if (step === undefined) break
    from = Math.floor(from / step)
    to = Math.floor((to + 1) / step) - 1
  }
  return marks
}

/** Years outside of these count as the first or the last, so that an open range needs few marks. */
const [firstYear, lastYear] = [1900, 2059]

/** Every month has 31 numbers, so that a month is a multiple of them. A restored date may make no sense. */
function dayNumber(day: string) {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number]
  if (!(year >= firstYear && month >= 1 && date >= 1)) return firstYear * 12 * 31
  if (year > lastYear) return (lastYear + 1) * 12 * 31 - 1
  return (year * 12 + month - 1) * 31 + date - 1
}

const dayMarks = (kind: 'taken' | 'added', day: string) => levelMarks(kind, dayNumber(day))

function coverDays(kind: 'taken' | 'added', { from, to }: Days) {
  const isMonthEnd = to !== undefined && new Date(Date.parse(to) + 24 * 3600_000).getUTCDate() === 1
  const last = to === undefined ? (lastYear + 1) * 12 * 31 - 1 : dayNumber(isMonthEnd ? `${to.slice(0, 8)}31` : to)
  return coverRange(kind, from === undefined ? firstYear * 12 * 31 : dayNumber(from), last)
}

/**
 * Tenths of the unit in which people write a size, and the sizes between two tenths, so that a limit of 1.5 MB is exact.
 */
function sizeStep(bytes: number) {
  const unit = Math.min(3, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const tenths = (bytes / 1024 ** unit) * 10
  const step = 2 * Math.floor(tenths) + (Number.isInteger(tenths) ? 0 : 1)
  return Math.min(scales.size.most, unit * 20_480 + step)
}

function coverSizes({ from = 0, to = Number.MAX_SAFE_INTEGER }: Range) {
  return coverRange('size', sizeStep(from), sizeStep(to))
}

function coverWidths({ from = 0, to = scales.width.most }: Range) {
  return coverRange('width', Math.min(from, scales.width.most), Math.min(to, scales.width.most))
}

/** The marks of one filter whose values need no look into the database; undefined for the others. */
export function clauseOf({ name, value, isExcluded }: SearchFilter): MarkClause | undefined {
  switch (name) {
    case 'type':
    case 'shape':
    case 'format':
    case 'color':
      return { anyOf: [listedMark(name, value)], isExcluded }
    case 'taken':
    case 'added':
      return { anyOf: coverDays(name, rangeOf({ name, value })!), isExcluded }
    case 'size':
      return { anyOf: coverSizes(rangeOf({ name, value })!), isExcluded }
    case 'width':
      return { anyOf: coverWidths(rangeOf({ name, value })!), isExcluded }
    case 'is':
      if (value === 'duplicate') return undefined
      return { anyOf: [flagMark(value as Flag)], isExcluded }
    default:
      return undefined
  }
}
