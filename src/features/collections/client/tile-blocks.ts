/** Tiles are rendered in blocks of whole rows, for three, five or six columns. */
export const tilesPerBlock = 60

type List = { top: number; blockHeight: number; blocks: number }

/** The blocks in the viewport, plus one before and after them, so that scrolling shows no gap. */
export function blocksInView(
  { top, blockHeight, blocks }: List,
  windowHeight: number,
): { first: number; last: number } {
  const blockAt = (y: number) => Math.floor((y - top) / blockHeight)
  return { first: Math.max(blockAt(0) - 1, 0), last: Math.min(blockAt(windowHeight) + 1, blocks - 1) }
}
