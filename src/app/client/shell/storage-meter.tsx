import { useQuery } from '@tanstack/react-query'
import { authQueries } from '#features/auth/client/queries.ts'
import { formatBytes } from '#shared/bytes.ts'
import { countOf } from '#shared/count.ts'
import { Progress } from '#ui/progress.tsx'

/** The share of the quota from which the meter warns. */
const nearlyFullPercent = 90

/** The used part of the quota, as text and percent; the bar ends at 100%. */
export function useStorageUse() {
  const { data } = useQuery(authQueries.storage())
  if (!data) return undefined
  const { usedBytes, quotaBytes, totalFiles } = data
  const percent = Math.min(100, (usedBytes / quotaBytes) * 100)
  return {
    percent,
    isNearlyFull: percent >= nearlyFullPercent,
    words: `${formatBytes(usedBytes)} of ${formatBytes(quotaBytes, { isTrimmed: true })} used`,
    files: countOf(totalFiles, 'file'),
  }
}

export function StorageMeter() {
  const use = useStorageUse()
  const { isError } = useQuery(authQueries.storage())
  return (
    <section aria-label="Storage" className="flex flex-col gap-2 rounded-md border border-line bg-surface p-3">
      <div className="flex justify-between gap-2 text-sm">
        <span className="font-medium">Storage</span>
        <span className="figures text-muted">{use?.files}</span>
      </div>
      <Progress isBare label="Storage used" value={use?.percent ?? 0} tone={use?.isNearlyFull ? 'danger' : 'accent'} />
      {/* The line keeps its height while the numbers are on their way. */}
      <p className="figures min-h-[1.45em] text-muted text-xs">{use?.words ?? (isError && "Couldn't load storage.")}</p>
    </section>
  )
}
