import type { MouseEvent } from 'react'
import type { Media } from '../contract.ts'
import { spokenTextOf } from './spoken-text.ts'

/** The actions of an item in the grid and the list. */
export type ItemActions = {
  onOpen: (media: Media) => void
  onToggle: (media: Media, isRange: boolean) => void
  /** Opens the dialog that adds the item to a collection. */
  onMove: (media: Media) => void
  onDelete: (media: Media) => void
  /** Opens the dialog that copies the item for use on a website. */
  onCopyForWebsite: (media: Media) => void
  /** Set while a collection is shown. */
  onRemoveFromCollection?: (media: Media) => void
  /** Whether the collection contains what matches its search, so that nothing can be removed from it. */
  isSmart?: boolean
}

type Pressed = Pick<ItemActions, 'onOpen' | 'onToggle'> & { media: Media; isSelecting: boolean }

/** Opens the item, or selects it in select mode and with modifier keys. */
export function pressItem({ media, isSelecting, onOpen, onToggle }: Pressed, event: MouseEvent) {
  if (isSelecting || event.shiftKey || event.ctrlKey || event.metaKey) onToggle(media, event.shiftKey)
  else onOpen(media)
}

/** Handles clicks anywhere on a card or row, except on its buttons, links and fields. */
export function pressAround(pressed: Pressed, event: MouseEvent) {
  if (!(event.target as HTMLElement).closest('button, a, input, [role=menu]')) pressItem(pressed, event)
}

/** In select mode the picture is the item's checkbox, which makes it a large target and a single tab stop. */
export const pictureRole = ({ media, isSelecting, isSelected }: Pressed & { isSelected: boolean }) => ({
  'aria-description': spokenTextOf(media),
  ...(isSelecting
    ? { role: 'checkbox', 'aria-checked': isSelected, 'aria-label': `Select ${media.filename}` }
    : { 'aria-label': `Open ${media.filename}` }),
})
