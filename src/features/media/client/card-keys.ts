import { indexAfterKey } from '#ui/keys/grid-keys.ts'

/**
 * The arrow keys lead from picture to picture, Home and End to the first and the last; a list knows up and down alone. At an
 * end the key is the browser's, which scrolls: then this is false.
 */
export function moveFocus(area: HTMLElement, key: string): boolean {
  const cards = [...area.querySelectorAll<HTMLElement>('[data-media-id]')]
  // Menus, names and the other buttons of a card have keys of their own.
  const from = cards.findIndex((card) => card.querySelector('button') === document.activeElement)
  if (from === -1) return false
  const next = nextCard(key, cards, from)
  if (!next || next === cards[from]) return false
  next.querySelector('button')?.focus()
  return true
}

/** What only comes near is a grid of its own: each has its own rows, and where one ends the other begins. */
function nextCard(key: string, cards: HTMLElement[], from: number) {
  const grid = cards[from]!.parentElement!
  const own = cards.filter(({ parentElement }) => parentElement === grid)
  const begin = cards.indexOf(own[0]!)
  const columns = getComputedStyle(grid).gridTemplateColumns.split(' ').length
  const place = indexAfterKey(key, from - begin, { count: own.length, columns })
  if (place === undefined || (columns === 1 && /Left|Right/.test(key))) return undefined
  if (key === 'Home') return cards[0]
  if (key === 'End') return cards.at(-1)
  if (place !== from - begin) return own[place]
  return /Down|Right/.test(key) ? cards[begin + own.length] : cards[begin - 1]
}
