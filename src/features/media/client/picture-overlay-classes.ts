/** Controls on a picture look the same in both themes: light on a dark scrim. */
export const onPicture = 'bg-scrim! text-on-scrim! hover:ring-1 hover:ring-on-scrim/50'

/** Visible on hover and focus, and always visible on touch screens, which have no hover. */
export const revealed =
  'opacity-0 transition-opacity group-hover/card:opacity-100 group-focus-within/card:opacity-100 pointer-coarse:opacity-100 aria-expanded:opacity-100'

export const pictureLabel =
  'inline-flex h-5 max-w-full items-center gap-1 truncate rounded-sm bg-scrim px-1.5 font-medium text-on-scrim text-xs [&>.lucide]:size-3'
