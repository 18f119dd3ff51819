import { indexAfterKey } from '#ui/keys/grid-keys.ts'

/**
 * Moves the focus with the arrow keys, Home and End; a list supports only up and down. Returns false at either end, where the
 * key is left to the browser for scrolling.
 */
export function moveFocus(area: HTMLElement, key: string): boolean {
  const cards = [...area.querySelectorAll<HTMLElement>('[data-media-id]')]
  // Menus, name fields and the other buttons of a card handle keys themselves.
  const from = cards.findIndex((card) => card.querySelector('button') === document.activeElement)
  if (from === -1) return false
  const next = nextCard(key, cards, from)
  if (!next || next === cards[from]) return false
  next.querySelector('button')?.focus()
  return true
}

/** Similar results are a second grid with rows of its own; moving past the end of one grid enters the other. */
function nextCard(key: string, cards: HTMLElement[], from: number) {
  const grid = cards[from]!.parentElement!
  const own = cards.filter(({ parentElement }) => parentElement === grid)
  const begin = cards.indexOf(own[0]!)
  const columns = getComputedStyle(grid).gridTemplateColumns.split(' ').length
  const position = indexAfterKey(key, from - begin, { count: own.length, columns })
  if (position === undefined || (columns === 1 && /Left|Right/.test(key))) return undefined
  if (key === 'Home') return cards[0]
  if (key === 'End') return cards.at(-1)
  if (position !== from - begin) return own[position]
  return /Down|Right/.test(key) ? cards[begin + own.length] : cards[begin - 1]
}
