type Upload = { id: number; createdAt: string }

const minGapMs = 10_000
const maxGapMs = 5 * 60_000

/**
 * Selects the latest upload session: from the newest item backwards, as long as each gap is at most three times the median
 * gap, limited to between 10 seconds and 5 minutes. A single item is a session.
 */
export function selectRecentUploads(uploads: readonly Upload[]): { ids: number[]; spanMinutes: number } {
  const newestFirst = uploads
    .map(({ id, createdAt }) => ({ id, time: new Date(createdAt).getTime() }))
    .sort((a, b) => b.time - a.time || b.id - a.id)
  const [newest] = newestFirst
  if (!newest) return { ids: [], spanMinutes: 0 }
  const gaps = newestFirst.slice(1).map(({ time }, index) => newestFirst[index]!.time - time)
  const threshold = Math.min(maxGapMs, Math.max(minGapMs, 3 * median(gaps)))
  const firstWideGap = gaps.findIndex((gap) => gap > threshold)
  const session = newestFirst.slice(0, firstWideGap < 0 ? undefined : firstWideGap + 1)
  const spanMs = newest.time - session.at(-1)!.time
  return { ids: session.map(({ id }) => id), spanMinutes: Math.round(spanMs / 60_000) }
}

function median(values: readonly number[]) {
  if (values.length === 0) return 0
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
