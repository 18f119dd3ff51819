import { inkOn, isDark } from '#features/collections/colour-contrast.ts'
import type { CollectionRow } from '#features/collections/server/store.ts'
import { type Branding, Colour, defaultBranding } from '#features/websites/branding.ts'
import { brandingOf } from '#features/websites/server/branding.ts'
import { coverPosition } from '#shared/cover-crop.ts'
import { isIcon } from '#shared/image-sizes.ts'
import type { PublicMedia } from '../../contract.ts'
import { justifiedRows } from './justified-rows.ts'

type Styled = Pick<CollectionRow, 'branding' | 'checked_css'>

type Framed = Pick<PublicMedia, 'width' | 'height' | 'focalPoint'>
type Shown = { media: PublicMedia[]; header?: Framed }

/** The owner's colors, the shape and tint of every tile, then the allowed part of the owner's CSS. */
export function pageStyle(collection: Styled, { media, header }: Shown, first = 0) {
  const branding = brandingOf(collection)
  const width = first === 0 && media.length > 0 ? frameWidth(media) : undefined
  const frame = width ? [`.pub-frame{--pub-width:${width}}`] : []
  const rows = first === 0 ? rowsOfFew(media) : undefined
  const parts = [colours(branding), headerPosition(header), ...tiles(media, first), ...shares(rows), ...frame]
  return [...parts, collection.checked_css ?? ''].join('\n')
}

function colours(branding: Branding) {
  const { backgroundColor, textColor, accentColor } = { ...defaultBranding, ...branding }
  return `:root{color-scheme:${isDark(backgroundColor) ? 'dark' : 'light'};--pub-background:${backgroundColor};--pub-text:${textColor};--pub-accent:${accentColor};--pub-on-accent:${inkOn(accentColor)}}`
}

/**
 * The header is as wide as the window and about 40% of its height, so its shape is known to the browser only. In an
 * object-position 0% and 100% are the ends of the image, and 50% plus a length moves it from the middle.
 */
function headerPosition({ width, height, focalPoint }: Framed = { width: null, height: null, focalPoint: null }) {
  if (!width || !height || !focalPoint) return ''
  const [x, y] = [round(0.5 - focalPoint.x), round(0.5 - focalPoint.y)]
  const shown = `max(100vw,40vh*${round(width / height)})`
  const alongX = `clamp(100%,50% + ${x}*${shown},0%)`
  const alongY = `clamp(100%,50% + ${y}*${round(height / width)}*${shown},0%)`
  return `.pub-header-image{object-position:${alongX} ${alongY}}`
}

const round = (value: number) => Math.round(value * 10_000) / 10_000

/**
 * [Note: Masonry in order] A column of the grid is 24 units wide, and a tile spans as many one-unit rows as its aspect
 * ratio requires, plus one for the gap. So tiles keep their shape and the owner's order.
 */
function tiles(media: PublicMedia[], first: number) {
  return media.map((item, index) => {
    const tile = `.pub-c${first + index}`
    const tint = tintOf(item)
    const position = cutPosition(item)
    const shape = `${tile}{grid-row:span ${rowsOf(item) + 1};--pub-ratio:${columnUnits}/${rowsOf(item)}${tint ? `;--pub-tint:${tint}` : ''}}`
    if (isSmall(item)) return `${shape}${tile} img{object-fit:none}`
    return position ? `${shape}${tile} img{object-position:${position}}` : shape
  })
}

const columnUnits = 24

const rowsOf = ({ width, height }: PublicMedia) =>
  width && height ? Math.min(60, Math.max(8, Math.round((columnUnits * height) / width))) : columnUnits

/** Only a panorama or a very tall image is cut by its tile. */
function cutPosition(media: PublicMedia) {
  const { width, height, focalPoint } = media
  if (!width || !height || !focalPoint) return undefined
  const rows = rowsOf(media)
  const isCut = Math.abs(rows - (columnUnits * height) / width) > 0.5
  return isCut ? coverPosition({ width, height }, { width: columnUnits, height: rows }, focalPoint) : undefined
}

/** The rows of a page with few tiles, by width; undefined for masonry. */
export const rowsOfFew = (media: PublicMedia[]) =>
  media.every(isSmall) ? undefined : justifiedRows(media.map((item) => columnUnits / rowsOf(item)))

function shares(rows: ReturnType<typeof rowsOfFew> = []) {
  return rows.map(({ minWidth, tiles }) => {
    const rules = tiles.map(
      ({ share, neighbors }, index) => `.pub-c${index}{--pub-share:${share.toFixed(4)};--pub-neighbors:${neighbors}}`,
    )
    return `@media (min-width:${minWidth}px){${rules.join('')}}`
  })
}

const isSmall = ({ width, height }: PublicMedia) => width && height && isIcon({ width, height })

/** An icon does not fill its tile, and would be hard to see on its own color. */
function tintOf(media: PublicMedia) {
  if (media.isTransparent) return 'transparent'
  return isSmall(media) ? undefined : Colour.safeParse(media.colours[0]).data
}

export const loneTileWidth = '48rem'
const iconTileRem = 12

/** A single tile is large, but not higher than the window; icons are close together. */
function frameWidth(media: PublicMedia[]) {
  if (media.every(isSmall)) return `${iconTileRem * media.length}rem`
  return media.length === 1
    ? `min(${loneTileWidth},${Math.round((85 * columnUnits) / rowsOf(media[0]!))}vh)`
    : undefined
}
