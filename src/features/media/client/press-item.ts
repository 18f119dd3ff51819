import type { MouseEvent } from 'react'
import type { Media } from '../contract.ts'

type Pressed = {
  media: Media
  isSelecting: boolean
  onOpen: (media: Media) => void
  onToggle: (media: Media, isRange: boolean) => void
}

/** Opens the item, or selects it: in select mode, and with the keys that select everywhere. */
export function pressItem({ media, isSelecting, onOpen, onToggle }: Pressed, event: MouseEvent) {
  if (isSelecting || event.shiftKey || event.ctrlKey || event.metaKey) onToggle(media, event.shiftKey)
  else onOpen(media)
}

/** The same anywhere on the card or the row; buttons and fields in it speak for themselves. */
export function pressAround(pressed: Pressed, event: MouseEvent) {
  if (!(event.target as HTMLElement).closest('button, input, [role=menu]')) pressItem(pressed, event)
}
