import type { MouseEvent } from 'react'
import type { Media } from '../contract.ts'
import { whatIsSeen } from './what-is-seen.ts'

/** What can be done with an item, in the grid and in the list. */
export type ItemActions = {
  onOpen: (media: Media) => void
  onToggle: (media: Media, isRange: boolean) => void
  /** Into a collection. */
  onMove: (media: Media) => void
  onDelete: (media: Media) => void
  /** Given while a collection is shown: takes the item out of it. */
  onRemoveFromCollection?: (media: Media) => void
}

type Pressed = Pick<ItemActions, 'onOpen' | 'onToggle'> & { media: Media; isSelecting: boolean }

/** Opens the item, or selects it: in select mode, and with the keys that select everywhere. */
export function pressItem({ media, isSelecting, onOpen, onToggle }: Pressed, event: MouseEvent) {
  if (isSelecting || event.shiftKey || event.ctrlKey || event.metaKey) onToggle(media, event.shiftKey)
  else onOpen(media)
}

/** The same anywhere on the card or the row; buttons and fields in it speak for themselves. */
export function pressAround(pressed: Pressed, event: MouseEvent) {
  if (!(event.target as HTMLElement).closest('button, input, [role=menu]')) pressItem(pressed, event)
}

/** In select mode the picture is the checkbox of its item: a large one, and one stop for Tab. */
export const roleOfPicture = ({ media, isSelecting, isSelected }: Pressed & { isSelected: boolean }) => ({
  'aria-description': whatIsSeen(media),
  ...(isSelecting
    ? { role: 'checkbox', 'aria-checked': isSelected, 'aria-label': `Select ${media.filename}` }
    : { 'aria-label': `Open ${media.filename}` }),
})
