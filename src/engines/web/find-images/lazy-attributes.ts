import type { Attributes } from './attributes.ts'
import { findCssImages } from './css-images.ts'
import type { Candidate } from './found-image.ts'
import { hasPictureEnding } from './image-address.ts'
import { parseSrcset } from './srcset.ts'

/** Where lazy-loading scripts keep the true `src`, without the leading `data-` and without hyphens. */
const lazyNames = new Set(
  `src lazysrc lazy lazyload lazyloadsrc original originalsrc origsrc echo llsrc dsrc defersrc deferredsrc delayedurl
  actualsrc cfsrc pagespeedlazysrc pagespeedhighressrc runnersrc flickitylazyload flickitylazyloadsrc nitrolazysrc
  litespeedsrc wpfcoriginalsrc rawsrc imgsrc srclazy unveil ezsrc splidelazy hsrc`.split(/\s+/),
)
const backgroundNames =
  /^(?:lazy)?(?:bg|background)(?:src|image|img|url|lazy|set)?$|^(?:parallax|lazybackground|imagesrc)(?:src|image)?$/
const largerNames = /full|large|zoom|orig|hires|highres|retina|2x|big|master|supersize/
const srcsetNames = /srcset$|^bgset$/
/** Addresses of pages, players and scripts are not pictures, however they end. */
const ignoredNames = /^(?:href|link|permalink|video|poster|iframe|page)/

/** No element of an honest page has more. */
const maxAttributes = 100

type ReadAttributes = {
  /** Versions of the element's own picture. */
  own: Candidate[]
  /** Pictures beside it: a hover image, a neighbour in a gallery. */
  others: Candidate[][]
}

/** The pictures that an element keeps in attributes which no browser reads, only scripts. */
export function readLazyAttributes(attributes: Attributes, isPicture: boolean): ReadAttributes {
  const own: Candidate[] = []
  const others: Candidate[][] = []
  for (const { name, value } of attributes.slice(0, maxAttributes)) {
    const bare = bareName(name)
    if (!bare || ignoredNames.test(bare)) continue
    if (srcsetNames.test(bare)) own.push(...parseSrcset(value, 'lazy'))
    else if (backgroundNames.test(bare)) own.push(...readBackground(value))
    else if (lazyNames.has(bare)) {
      // An `<img>` loads nothing but pictures; what a `<div>` loads may be anything, unless its name tells.
      if (isSpacedAddress(value) || (isOneAddress(value) && (isPicture || hasPictureEnding(value))))
        own.push({ address: fillTemplate(value, attributes), origin: 'lazy' })
    } else if (isOneAddress(value) && hasPictureEnding(value)) {
      const address = fillTemplate(value, attributes)
      if (largerNames.test(bare)) own.push({ address, origin: 'full' })
      else others.push([{ address, origin: 'other' }])
    }
  }
  return { own, others }
}

function bareName(name: string): string | undefined {
  if (name.length > 40) return undefined
  if (name.startsWith('data-')) return name.slice(5).replace(/[-_]/g, '')
  return /^(?:nitro-)?lazy-?src$/.test(name) ? 'lazysrc' : undefined
}

function readBackground(value: string): Candidate[] {
  if (/url\s*\(|image-set\s*\(/i.test(value.slice(0, 200))) return findCssImages(`background:${value}`).flat()
  const isAddress = hasPictureEnding(value) || /^\s*(?:https?:)?\//.test(value)
  return isAddress && (isOneAddress(value) || isSpacedAddress(value)) ? [{ address: value, origin: 'lazy' }] : []
}

/** Not a flag, a number, a list or a piece of JSON. */
function isOneAddress(value: string): boolean {
  return value.length > 3 && /^\s*[^\s<>"[{][^\s<>"]*\s*$/.test(value) && /[./]/.test(value)
}

/** `My photo.jpg`: not clean, but a browser loads it. Where several of its words end like pictures, it is a list. */
function isSpacedAddress(value: string): boolean {
  if (!hasPictureEnding(value.trim()) || /[<>"[{,]/.test(value)) return false
  return value.split(/\s+/).filter(hasPictureEnding).length === 1
}

/** Shopify leaves the width open, `photo_{width}x.jpg`, and lists the possible ones beside it. */
function fillTemplate(address: string, attributes: Attributes): string {
  if (!/\{width\}|%7Bwidth%7D/i.test(address)) return address
  const list = attributes.find(({ name }) => name === 'data-widths')?.value.slice(0, 500) ?? ''
  const widths = (list.match(/\d+/g) ?? ['1024']).map(Number)
  return address.replace(/\{width\}|%7Bwidth%7D/gi, String(Math.max(...widths)))
}
