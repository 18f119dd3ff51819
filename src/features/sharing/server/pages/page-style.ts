import { inkOn, isDark } from '#features/collections/colour-contrast.ts'
import { type Branding, Colour, defaultBranding } from '#features/collections/contract.ts'
import { brandingOf, type CollectionRow } from '#features/collections/server/store.ts'
import { isIcon } from '#shared/image-sizes.ts'
import type { PublicMedia } from '../../contract.ts'

type Styled = Pick<CollectionRow, 'branding' | 'checked_css'>

/** The owner's colors, the shape and tint of every tile, then the allowed part of the owner's CSS. */
export function pageStyle(collection: Styled, media: PublicMedia[] = [], first = 0) {
  const branding = brandingOf(collection)
  const width = first === 0 && media.length > 0 ? frameWidth(media) : undefined
  const frame = width ? [`.pub-frame{--pub-width:${width}}`] : []
  return [colours(branding), ...tiles(media, first), ...frame, collection.checked_css ?? ''].join('\n')
}

function colours(branding: Branding) {
  const { backgroundColor, textColor, accentColor } = { ...defaultBranding, ...branding }
  return `:root{color-scheme:${isDark(backgroundColor) ? 'dark' : 'light'};--pub-background:${backgroundColor};--pub-text:${textColor};--pub-accent:${accentColor};--pub-on-accent:${inkOn(accentColor)}}`
}

/**
 * [Note: Masonry in order] A column of the grid is 24 units wide, and a tile spans as many one-unit rows as its aspect
 * ratio requires, plus one for the gap. So tiles keep their shape and the owner's order.
 */
function tiles(media: PublicMedia[], first: number) {
  return media.map((item, index) => {
    const tile = `.pub-c${first + index}`
    const tint = tintOf(item)
    const shape = `${tile}{grid-row:span ${rowsOf(item) + 1}${tint ? `;--pub-tint:${tint}` : ''}}`
    return isSmall(item) ? `${shape}${tile} img{object-fit:none}` : shape
  })
}

const rowsOf = ({ width, height }: PublicMedia) =>
  width && height ? Math.min(60, Math.max(8, Math.round((24 * height) / width))) : 24

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
  return media.length === 1 ? `min(${loneTileWidth},${Math.round((85 * 24) / rowsOf(media[0]!))}vh)` : undefined
}
