/** Where a key leads in rows of so many columns: not beyond the ends, and in a single column not by left and right. */
export function placeByKey(key: string, from: number, { count, columns }: { count: number; columns: number }) {
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
  return places[key]
}
