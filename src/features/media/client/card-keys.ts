import { indexAfterKey } from '#ui/keys/grid-keys.ts'

/** The picture of a card or row, which opens or selects the item. */
const pictureIn = (card: HTMLElement) => card.querySelector('button')
const idOf = (card: HTMLElement) => Number(card.dataset.mediaId)

/** Handles a key on a focused card; returns whether it did. */
export type CardKeyHandlers = {
  /** Set in select mode, in which pressing a card does not open it. */
  onOpen?: (id: number) => void
  onExtend: (from: number, to: number) => void
}

export function handleCardKey(
  area: HTMLElement,
  { key, shiftKey }: { key: string; shiftKey: boolean },
  handlers: CardKeyHandlers,
) {
  const from = focusedCard(area)
  if (!from) return false
  if (key === 'Enter' && !shiftKey) {
    handlers.onOpen?.(idOf(from))
    return handlers.onOpen !== undefined
  }
  if (!moveFocus(area, key)) return false
  const to = focusedCard(area)
  if (shiftKey && to) handlers.onExtend(idOf(from), idOf(to))
  return true
}

const focusedCard = (area: HTMLElement) =>
  [...area.querySelectorAll<HTMLElement>('[data-media-id]')].find((card) => pictureIn(card) === document.activeElement)

/**
 * Moves the focus with the arrow keys, Home and End; a list supports only up and down. Returns false at either end, where the
 * key is left to the browser for scrolling.
 */
function moveFocus(area: HTMLElement, key: string): boolean {
  const cards = [...area.querySelectorAll<HTMLElement>('[data-media-id]')]
  // Menus, name fields and the other buttons of a card handle keys themselves.
  const from = cards.findIndex((card) => pictureIn(card) === document.activeElement)
  if (from === -1) return false
  const next = nextCard(key, cards, from)
  if (!next || next === cards[from]) return false
  pictureIn(next)?.focus()
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
