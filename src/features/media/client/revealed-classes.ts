import { classNames } from '#ui/class-names.ts'

/** Visible on hover and focus, and always visible on touch screens, which have no hover. */
export const revealed = classNames(
  'opacity-0 transition-opacity group-hover/card:opacity-100 group-focus-within/card:opacity-100',
  'pointer-coarse:opacity-100 aria-expanded:opacity-100',
)
