/** The index that a navigation key leads to in a grid; in a single column, left and right do nothing. */
export function indexAfterKey(key: string, from: number, { count, columns }: { count: number; columns: number }) {
  const isInLastRow = Math.floor(from / columns) === Math.floor((count - 1) / columns)
  const targets: Record<string, number> = {
    ArrowUp: from < columns ? from : from - columns,
    // The last row may be shorter than this column's index.
    ArrowDown: isInLastRow ? from : Math.min(from + columns, count - 1),
    ArrowLeft: columns > 1 ? Math.max(from - 1, 0) : from,
    ArrowRight: columns > 1 ? Math.min(from + 1, count - 1) : from,
    Home: 0,
    End: count - 1,
  }
  return targets[key]
}
