import type { Place } from './found-image.ts'
import type { SeenPicture, Version } from './group-sightings.ts'

/** Enough for a picture that a page repeats; only the first ones are described. */
const maxPlaces = 5

/** The screen for which a version is chosen, as the renderer has it: in CSS pixels, each of them two dots wide. */
const screenWidth = 1280
const screenDensity = 2

export function describePlaces(seen: SeenPicture[]): Place[] {
  const shown = seen.filter(({ sighting }) => sighting.display)
  // A picture inside `<noscript>` repeats the lazy one before it.
  const first = shown.some(({ sighting }) => !sighting.isFallback)
    ? shown.filter(({ sighting }) => !sighting.isFallback)
    : shown
  // An element says more about a picture than a style sheet that shows it as well.
  const [backgrounds, elements] = [first.filter(isBackground), first.filter((one) => !isBackground(one))]
  return [...elements, ...backgrounds].slice(0, maxPlaces).flatMap(describePlace)
}

const isBackground = ({ sighting }: SeenPicture) => sighting.source === 'css'

function describePlace({ sighting, versions, order }: SeenPicture): Place[] {
  const { source, display, width } = sighting
  const { alt, sizes, hasDimensions, isLazy, box } = display!
  const loaded = versions.filter(({ origin }) => origin === 'src' || origin === 'srcset' || origin === 'lazy')
  const fromSizes = loaded.some((version) => version.origin !== 'src') ? readSizes(sizes) : undefined
  const shownWidth = box?.width ?? width ?? fromSizes
  const version = chooseVersion(loaded, shownWidth ?? screenWidth)
  if (!version) return []
  return [{ source, url: version.href, order, alt, shownWidth, top: box?.top, hasDimensions, isLazy }]
}

/** As a browser chooses: the first stated format, then the smallest version that is large enough. */
function chooseVersion(loaded: Version[], shownWidth: number): Version | undefined {
  const type = loaded.find((version) => version.type)?.type
  const offered = type ? loaded.filter((version) => version.type === type) : loaded
  const sets = offered.filter(({ origin }) => origin !== 'src')
  const sized = sets.filter(({ width }) => width).sort((one, other) => one.width! - other.width!)
  const neededWidth = shownWidth * screenDensity
  if (sized.length > 1) return sized.find(({ width }) => width! >= neededWidth) ?? sized.at(-1)
  const dense = sets.filter(({ density }) => density).sort((one, other) => one.density! - other.density!)
  return dense.findLast(({ density }) => density! <= screenDensity) ?? sets[0] ?? offered[0]
}

const sizePattern = /^(?:\((min|max)-width:\s*([\d.]{1,8})(px|r?em)\)\s+)?([\d.]{1,8})(px|vw|r?em)$/i
const fontPixels = 16

/** The width that a `sizes` attribute gives on that screen; undefined for one that needs more than arithmetic. */
function readSizes(sizes: string | undefined): number | undefined {
  for (const part of sizes?.split(',') ?? []) {
    const [, bound, limit, limitUnit, length, unit] = sizePattern.exec(part.trim()) ?? []
    if (!length || !unit) return undefined
    const limitPixels = Number(limit) * (limitUnit?.toLowerCase() === 'px' ? 1 : fontPixels)
    const applies = !bound || (bound.toLowerCase() === 'min' ? screenWidth >= limitPixels : screenWidth <= limitPixels)
    if (applies) return toPixels(Number(length), unit.toLowerCase())
  }
  return undefined
}

function toPixels(length: number, unit: string): number {
  const pixels = unit === 'vw' ? (length / 100) * screenWidth : length * (unit === 'px' ? 1 : fontPixels)
  return Math.round(pixels)
}
