/** The row at a position of a list, by what the list is sorted by. */
export type Cursor = { position: number; value: string | number; id: number }
/** How a page is reached: from the row `from`, or else from an end of the list, past `skip` rows. */
export type ReadPlan = { from?: Cursor; isBackwards: boolean; skip: number }
type KnownCursors = { cursors: Cursor[]; remember(cursor: Cursor): void }

const maxLists = 50
const maxCursors = 500

/**
 * [Note: Where pages began]
 * An index has no page numbers: skipping 400,000 entries takes 20 ms. So the first row of a page is remembered as a cursor
 * for the pages around it, until anything is written. Without a `readVersion` nothing is remembered.
 */
export function createPageCursors(readVersion: () => string | undefined) {
  const lists = new Map<string, Cursor[]>()
  let lastVersion: string | undefined

  return {
    /** Must be called before the list is counted, so that count and cursors refer to the same rows. */
    of(list: string): KnownCursors | undefined {
      const version = readVersion()
      if (version !== lastVersion) lists.clear()
      lastVersion = version
      if (version === undefined) return undefined
      return {
        cursors: lists.get(list) ?? [],
        remember(cursor) {
          // A page that was read during a write may show the state before or after it.
          if (lastVersion !== version || readVersion() !== version) return
          if (!lists.has(list) && lists.size === maxLists) lists.clear()
          lists.set(list, [...(lists.get(list) ?? []), cursor].slice(-maxCursors))
        },
      }
    },
  }
}

export type PageCursors = ReturnType<typeof createPageCursors>

/** Reads from the nearest of the list's beginning, its end and the cursors before and after the page. */
export function planRead(cursors: Cursor[], page: { offset: number; limit: number }, total: number): ReadPlan {
  const { offset, limit } = page
  let best: ReadPlan =
    offset > total / 2 ? { isBackwards: true, skip: total - offset - limit } : { isBackwards: false, skip: offset }
  for (const from of cursors) {
    const isBackwards = from.position >= offset + limit
    const skip = isBackwards ? from.position - offset - limit : offset - from.position
    if (skip >= 0 && skip < best.skip) best = { from, isBackwards, skip }
  }
  return best
}
