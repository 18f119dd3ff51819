import { describePlaces } from './describe-places.ts'
import type { FoundImage, ImageSource, Sighting } from './found-image.ts'
import type { Picture, Version } from './group-sightings.ts'

const maxAlternatives = 30

/** What people see on the page says more about a picture than what machines are told about it. */
const sourceOrder: ImageSource[] = [
  'img',
  'picture',
  'link',
  'svg',
  'attribute',
  'css',
  'video',
  'meta',
  'preload',
  'json-ld',
]

/** One entry for a picture: its largest version first, and the words of all its sightings. */
export function describePicture(picture: Picture): FoundImage {
  const sightings = picture.sightings.toSorted((a, b) => sourceOrder.indexOf(a.source) - sourceOrder.indexOf(b.source))
  const shownWidth = firstOf(sightings, ({ width }) => width)
  const ranked = rankVersions(picture.versions, shownWidth ?? 100)
  const best = ranked[0]!
  const words = {
    title: firstOf(sightings, ({ title }) => title),
    caption: firstOf(sightings, ({ caption }) => caption),
    heading: firstOf(sightings, ({ heading }) => heading),
    linkText: firstOf(sightings, ({ linkText }) => linkText),
  }
  return {
    url: best.href,
    alternatives: ranked.slice(1, maxAlternatives + 1).map(({ href }) => href),
    alt: firstOf(sightings, ({ alt }) => alt) ?? '',
    ...words,
    context: words.caption ?? words.title ?? words.linkText ?? words.heading,
    fileName: best.fileName,
    ...sizeOf(best, sightings, ranked.length === 1),
    source: sightings[0]!.source,
    places: describePlaces(picture.seen),
  }
}

/** Each address once, the formats that the library takes first, and the larger before the smaller. */
function rankVersions(versions: Version[], shownWidth: number): Version[] {
  const byAddress = new Map<string, Version>()
  for (const version of versions) {
    const address = version.href.replace(/^https?:/, '')
    const known = byAddress.get(address)
    byAddress.set(address, known ? mergeVersions(known, version) : version)
  }
  const reducedKeys = new Set(versions.filter(({ isReduced }) => isReduced).map(({ key }) => key))
  const weigh = (version: Version) => (version.isForeign ? -1e9 : 0) + estimateWidth(version, reducedKeys, shownWidth)
  return [...byAddress.values()]
    .map((version) => ({ version, weight: weigh(version) }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ version }) => version)
}

/** The same address may be a plain `src` here and `1600w` there, or written with and without encryption. */
function mergeVersions(known: Version, other: Version): Version {
  const sized = known.width === undefined && other.width !== undefined ? other : known
  return { ...sized, href: known.href.startsWith('https:') ? known.href : other.href }
}

/** How wide a version is likely to be; made-up widths above every true one stand for promises of an original. */
function estimateWidth(version: Version, reducedKeys: Set<string>, shownWidth: number): number {
  if (version.origin === 'original') return 3e6
  if (version.width) return version.width
  if (!version.isReduced && reducedKeys.has(version.key)) return 2e6
  if (version.origin === 'full') return 1e6
  if (version.isReduced) return Math.min(shownWidth, 500)
  return shownWidth * (version.density ?? 1) + (version.origin === 'lazy' ? 1 : 0)
}

/** The size of the best version, as far as the page tells; the height follows from the shape in which it is shown. */
function sizeOf(best: Version, sightings: Sighting[], isOnly: boolean): { width?: number; height?: number } {
  const shown = sightings.find(({ width, height }) => width && height)
  if (best.width && best.height) return { width: best.width, height: best.height }
  if (best.width && shown) return { width: best.width, height: Math.round((best.width * shown.height!) / shown.width!) }
  if (best.width) return { width: best.width }
  return isOnly && shown ? { width: shown.width, height: shown.height } : {}
}

function firstOf<T>(sightings: Sighting[], read: (sighting: Sighting) => T | undefined): T | undefined {
  for (const sighting of sightings) {
    const value = read(sighting)
    if (value) return value
  }
  return undefined
}
