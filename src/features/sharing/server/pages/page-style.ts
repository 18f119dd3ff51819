import { inkOn, isDark } from '#features/collections/colour-contrast.ts'
import { Colour, type defaultBranding } from '#features/collections/contract.ts'
import { brandingOf, type CollectionRow } from '#features/collections/server/store.ts'
import type { PublicMedia } from '../../contract.ts'
import { checkCss } from '../custom-css.ts'

type Brand = { [Name in keyof typeof defaultBranding]: string }

/** The owner's colours, a tint for every tile until its picture is there, then what is allowed of the owner's own CSS. */
export function pageStyle(collection: Pick<CollectionRow, 'branding'>, media: PublicMedia[] = [], first = 0) {
  const branding = brandingOf(collection)
  return [colours(branding as unknown as Brand), ...tints(media, first), checkCss(branding.customCss ?? '').css].join(
    '\n',
  )
}

function colours({ backgroundColor, textColor, accentColor }: Brand) {
  return `:root{color-scheme:${isDark(backgroundColor) ? 'dark' : 'light'};--pub-background:${backgroundColor};--pub-text:${textColor};--pub-accent:${accentColor};--pub-on-accent:${inkOn(accentColor)}}`
}

function tints(media: PublicMedia[], first: number) {
  return media.flatMap(({ colours: [colour] }, index) =>
    Colour.safeParse(colour).success ? [`.pub-c${first + index}{--pub-tint:${colour}}`] : [],
  )
}
