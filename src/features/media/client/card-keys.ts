import type { KeyboardEvent } from 'react'

/** The arrow keys lead from picture to picture, Home and End to the first and the last; a list knows up and down alone. */
export function moveFocus(event: KeyboardEvent<HTMLElement>) {
  if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return
  const cards = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-media-id]')]
  // Menus, names and the other buttons of a card have keys of their own.
  const from = cards.findIndex((card) => card.querySelector('button') === event.target)
  if (from === -1) return
  const columns = cards.filter(({ offsetTop }) => offsetTop === cards[0]?.offsetTop).length
  const next = placeAfter(event.key, from, { count: cards.length, columns })
  // At an end the key is the browser's, which scrolls.
  if (next === from) return
  event.preventDefault()
  cards[next]?.querySelector('button')?.focus()
}

export function placeAfter(key: string, from: number, { count, columns }: { count: number; columns: number }) {
  const isInLastRow = Math.floor(from / columns) === Math.floor((count - 1) / columns)
  const places: Record<string, number> = {
    ArrowUp: from < columns ? from : from - columns,
    // The last row may end before this column does.
    ArrowDown: isInLastRow ? from : Math.min(from + columns, count - 1),
    ArrowLeft: columns > 1 ? Math.max(from - 1, 0) : from,
    ArrowRight: columns > 1 ? Math.min(from + 1, count - 1) : from,
    Home: 0,
    End: count - 1,
  }
  return places[key] ?? from
}
