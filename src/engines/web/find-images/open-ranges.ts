import { type Attributes, classesOf, toLine } from './attributes.ts'
import type { Candidate, Sighting } from './found-image.ts'

/**
 * [Note: Pages are read as a stream of tags]
 * A tree of a foreign page can be made to cost any amount of memory: 50 kB of unclosed, misnested tags become millions
 * of nodes, by the very rules of HTML. So no tree is built. The scanner hears start tags, end tags and text, and
 * remembers only the open ranges that say something about pictures, at most `maxRanges` of them at a time: time is
 * linear in the page, and memory in the pictures.
 */
type RangeKind = 'title' | 'heading' | 'link' | 'picture' | 'figure' | 'caption' | 'card' | 'list'

export type Range = {
  kind: RangeKind
  tagName: string
  /** The number of open elements of this name inside, including this one. */
  depth: number
  text: string
  sightings: Sighting[]
  /** The sightings before the first heading of the range. */
  headless: Sighting[]
  heading?: string
  /** The heading before the range, which applies again after its end. */
  headingAbove: string
  caption?: string
  href?: string
  title?: string
  /** The candidates of the `<source>` elements of a `<picture>`. */
  candidates: Candidate[]
}

const maxRanges = 48
const maxTextLength = 1200
/** What holds more pictures than this is a gallery or the page itself, and its words are about none of them. */
const maxSightings = 50

const readsText = new Set<RangeKind>(['title', 'heading', 'link', 'caption'])

/** Follows start and end tags; `onClose` hears of each range when it ends, inner ones first. */
export function createOpenRanges(onClose: (range: Range) => void) {
  const open: Range[] = []

  function closeFrom(index: number) {
    while (open.length > index) onClose(open.pop()!)
  }

  type Test = (range: Range) => boolean

  function closeInnermost(isIt: Test, isBarrier: Test = () => false) {
    const index = open.findLastIndex((range) => isIt(range) || isBarrier(range))
    if (index >= 0 && isIt(open[index]!)) closeFrom(index)
  }

  /** Ends what HTML ends by itself: links, headings and paragraphs at the next one, an item at the next of its list. */
  function endImplied(tagName: string) {
    if (tagName === 'a') closeInnermost(({ kind }) => kind === 'link')
    if (tagName === 'p') closeInnermost((range) => range.tagName === 'p')
    if (tagName === 'li')
      closeInnermost(
        (range) => range.tagName === 'li',
        ({ kind }) => kind === 'list',
      )
    if (/^h[1-6]$/.test(tagName)) closeInnermost(({ kind }) => kind === 'heading')
  }

  return {
    /** Call for every start tag, before `enter`. */
    startTag(tagName: string) {
      endImplied(tagName)
      for (const range of open) if (range.tagName === tagName) range.depth++
    },
    enter(kind: RangeKind, tagName: string, facts: Pick<Range, 'href' | 'title' | 'headingAbove'>) {
      if (open.length >= maxRanges) return
      open.push({ kind, tagName, depth: 1, text: '', sightings: [], headless: [], candidates: [], ...facts })
    },
    endTag(tagName: string) {
      let closed = -1
      for (let index = open.length - 1; index >= 0; index--) {
        const range = open[index]!
        if (range.tagName === tagName && --range.depth === 0) closed = index
      }
      if (closed >= 0) closeFrom(closed)
    },
    closeAll: () => closeFrom(0),
    innermost: (kind: RangeKind) => open.findLast((range) => range.kind === kind),
    addText(text: string) {
      for (const range of open) {
        if (readsText.has(range.kind) && range.text.length < maxTextLength) range.text += text.slice(0, maxTextLength)
      }
    },
    addHeading(heading: string) {
      for (const range of open) if (range.kind === 'card') range.heading ??= heading
    },
    addSighting(sighting: Sighting) {
      for (const range of open) {
        if (range.sightings.length <= maxSightings) range.sightings.push(sighting)
        if (!range.heading && range.headless.length <= maxSightings) range.headless.push(sighting)
      }
    },
  }
}

/** Gives the pictures of a closed range the words that the range turned out to hold. */
export function describeSightings(range: Range) {
  const isGallery = range.sightings.length > maxSightings
  if (isGallery) return
  if (range.kind === 'figure' && range.caption)
    for (const sighting of range.sightings) sighting.caption ??= range.caption
  if (range.kind === 'link')
    for (const sighting of range.sightings) sighting.linkText ??= toLine(range.text) || undefined
  // A card often shows its picture first: the heading below it says more than the one above the card.
  if (range.kind === 'card' && range.heading) for (const sighting of range.headless) sighting.heading = range.heading
}

const kinds: Record<string, RangeKind> = {
  a: 'link',
  picture: 'picture',
  figure: 'figure',
  figcaption: 'caption',
  article: 'card',
  li: 'card',
  ul: 'list',
  ol: 'list',
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  h4: 'heading',
  h5: 'heading',
  h6: 'heading',
}

/** Elements that mean nothing by themselves, but may by their class. */
const blankTags = new Set(['div', 'p', 'span', 'section', 'dl', 'dd', 'td'])
const figureClasses = new Set(['wp-caption', 'gallery-item', 'gallerybox', 'thumb', 'thumbinner'])
const captionClass = /caption|^gallerytext$/
const cardClass = /(?:^|[-_])(?:card|product|item|tile|post|entry|slide|teaser)(?:[-_]|$)/

/** What an element says about the pictures inside it, if anything. */
export function rangeOf(tagName: string, attributes: Attributes): RangeKind | undefined {
  const classes = classesOf(attributes)
  if (classes.some((name) => figureClasses.has(name)) && (tagName === 'li' || blankTags.has(tagName))) return 'figure'
  if (Object.hasOwn(kinds, tagName)) return kinds[tagName]
  if (!blankTags.has(tagName)) return undefined
  if (classes.some((name) => captionClass.test(name))) return 'caption'
  return classes.some((name) => cardClass.test(name)) ? 'card' : undefined
}
