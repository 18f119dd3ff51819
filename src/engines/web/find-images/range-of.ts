import { type Attributes, classesOf } from './attributes.ts'
import type { RangeKind } from './open-ranges.ts'

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
