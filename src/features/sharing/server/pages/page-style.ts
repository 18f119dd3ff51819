import { inkOn, isDark } from '#features/collections/colour-contrast.ts'
import { type Branding, Colour, defaultBranding } from '#features/collections/contract.ts'
import { brandingOf, type CollectionRow } from '#features/collections/server/store.ts'
import type { PublicMedia } from '../../contract.ts'
import { checkCss } from '../custom-css.ts'

/** The owner's colours, the shape and tint of every tile, then what is allowed of the owner's own CSS. */
export function pageStyle(collection: Pick<CollectionRow, 'branding'>, media: PublicMedia[] = [], first = 0) {
  const branding = brandingOf(collection)
  const alone = first === 0 && media.length === 1 ? [loneTile(media[0]!)] : []
  return [colours(branding), ...tiles(media, first), ...alone, checkCss(branding.customCss ?? '').css].join('\n')
}

function colours(branding: Branding) {
  const { backgroundColor, textColor, accentColor } = { ...defaultBranding, ...branding }
  return `:root{color-scheme:${isDark(backgroundColor) ? 'dark' : 'light'};--pub-background:${backgroundColor};--pub-text:${textColor};--pub-accent:${accentColor};--pub-on-accent:${inkOn(accentColor)}}`
}

/**
 * [Note: Masonry in order] A column of the grid is 24 units wide, and a tile spans as many rows of one unit as its true
 * ratio asks for, plus one for the gap: tiles keep their shape and follow one another as the owner ordered them.
 */
function tiles(media: PublicMedia[], first: number) {
  return media.map((item, index) => {
    const tint = item.isTransparent ? 'transparent' : Colour.safeParse(item.colours[0]).data
    return `.pub-c${first + index}{grid-row:span ${rowsOf(item) + 1}${tint ? `;--pub-tint:${tint}` : ''}}`
  })
}

const rowsOf = ({ width, height }: PublicMedia) =>
  width && height ? Math.min(60, Math.max(8, Math.round((24 * height) / width))) : 24

export const loneTileWidth = '48rem'

/** Large, but not larger than a window shows at once. */
const loneTile = (media: PublicMedia) =>
  `.pub-frame{max-width:min(${loneTileWidth},${Math.round((85 * 24) / rowsOf(media))}vh)}`
