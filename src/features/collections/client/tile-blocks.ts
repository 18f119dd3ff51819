/** So many tiles come and go together: whole rows, be they of three, five or six. */
export const tilesPerBlock = 60

type List = { top: number; blockHeight: number; blocks: number }

/** The blocks of a list that a window shows, and one before and after them, so that a slow hand sees no gap. */
export function blocksInView(
  { top, blockHeight, blocks }: List,
  windowHeight: number,
): { first: number; last: number } {
  const blockAt = (y: number) => Math.floor((y - top) / blockHeight)
  return { first: Math.max(blockAt(0) - 1, 0), last: Math.min(blockAt(windowHeight) + 1, blocks - 1) }
}
