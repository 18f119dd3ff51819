import { classNames } from '#ui/class-names.ts'

/** In a row: visible on hover and focus, and always visible on touch screens, which have no hover. */
export const revealedInRow = classNames(
  'opacity-0 transition-opacity group-hover/card:opacity-100 group-focus-within/card:opacity-100',
  'pointer-coarse:opacity-100 aria-expanded:opacity-100',
)

/**
 * On a picture: visible on hover and focus, and on touch screens only on the card that is touched or was opened last, so that
 * nothing covers the pictures. Invisible buttons do not take the taps that should open the picture.
 */
export const revealedOnPicture = classNames(
  'opacity-0 transition-opacity group-hover/card:opacity-100 group-focus-within/card:opacity-100',
  'group-active/card:opacity-100 aria-expanded:opacity-100',
  'pointer-coarse:group-not-focus-within/card:not-aria-expanded:pointer-events-none',
)

/** A mark on a picture that is always visible: on touch screens without a scrim, except like the buttons above. */
export const plainUntilTouched = classNames(
  'pointer-coarse:group-not-focus-within/card:group-not-active/card:bg-transparent',
  'pointer-coarse:[&_.lucide]:drop-shadow-[0_0_2px_rgb(0_0_0/0.9)]',
)
