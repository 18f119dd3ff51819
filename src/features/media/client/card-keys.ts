import type { KeyboardEvent } from 'react'
import { placeByKey } from '#ui/place-by-key.ts'

/** The arrow keys lead from picture to picture, Home and End to the first and the last; a list knows up and down alone. */
export function moveFocus(event: KeyboardEvent<HTMLElement>) {
  if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return
  const cards = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-media-id]')]
  // Menus, names and the other buttons of a card have keys of their own.
  const from = cards.findIndex((card) => card.querySelector('button') === event.target)
  if (from === -1) return
  const columns = cards.filter(({ offsetTop }) => offsetTop === cards[0]?.offsetTop).length
  const next = placeByKey(event.key, from, { count: cards.length, columns })
  // At an end the key is the browser's, which scrolls.
  if (next === undefined || next === from) return
  event.preventDefault()
  cards[next]?.querySelector('button')?.focus()
}
