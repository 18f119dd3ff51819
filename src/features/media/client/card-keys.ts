import type { KeyboardEvent } from 'react'
import { placeByKey } from '#ui/keys/place-by-key.ts'

/** The arrow keys lead from picture to picture, Home and End to the first and the last; a list knows up and down alone. */
export function moveFocus(event: KeyboardEvent<HTMLElement>) {
  if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return
  const cards = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-media-id]')]
  // Menus, names and the other buttons of a card have keys of their own.
  const from = cards.findIndex((card) => card.querySelector('button') === event.target)
  if (from === -1) return
  const next = nextCard(event.key, cards, from)
  // At an end the key is the browser's, which scrolls.
  if (!next || next === cards[from]) return
  event.preventDefault()
  next.querySelector('button')?.focus()
}

/** What only comes near is a grid of its own: each has its own rows, and where one ends the other begins. */
function nextCard(key: string, cards: HTMLElement[], from: number) {
  const grid = cards[from]!.parentElement!
  const own = cards.filter(({ parentElement }) => parentElement === grid)
  const begin = cards.indexOf(own[0]!)
  const columns = getComputedStyle(grid).gridTemplateColumns.split(' ').length
  const place = placeByKey(key, from - begin, { count: own.length, columns })
  if (place === undefined || (columns === 1 && /Left|Right/.test(key))) return undefined
  if (key === 'Home') return cards[0]
  if (key === 'End') return cards.at(-1)
  if (place !== from - begin) return own[place]
  return /Down|Right/.test(key) ? cards[begin + own.length] : cards[begin - 1]
}
