import { useQuery } from '@tanstack/react-query'
import { bytesInWords } from '#shared/bytes.ts'
import { countOf } from '#shared/count.ts'
import { formatShortDay } from '#shared/dates.ts'
import { Card } from '#ui/card.tsx'
import type { StorageHistory } from '../contract.ts'
import { LoadState } from './load-state.tsx'
import { adminQueries } from './queries.ts'

const width = 600
const height = 120

export function StorageCard() {
  const history = useQuery(adminQueries.storageHistory())
  return (
    <Card title="Storage over time" description="The last 30 days, based on current items.">
      {/* As high as the chart with its words, so that nothing moves when it comes. */}
      <div className="min-h-37">
        <LoadState query={history} what="history">
          {(data) => <StorageChart days={data.days} />}
        </LoadState>
      </div>
    </Card>
  )
}

/** One line over a quiet area; its words say the same for those who do not see it. */
function StorageChart({ days }: StorageHistory) {
  const [first, last] = [days[0]!, days.at(-1)!]
  const most = Math.max(1, ...days.map(({ bytes }) => bytes))
  const points = days.map(({ bytes }, index) => [
    (index / (days.length - 1)) * width,
    height - 4 - (bytes / most) * (height - 12),
  ])
  const line = points.map(([x, y]) => `${x!.toFixed(1)},${y!.toFixed(1)}`).join(' ')
  const summary = `${bytesInWords(first.bytes)} on ${formatShortDay(first.day)}, ${bytesInWords(last.bytes)} in ${countOf(last.files, 'file')} today`
  return (
    <figure className="flex flex-col gap-2">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
        className="h-30 w-full"
      >
        <line x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} className="stroke-line" />
        <polygon points={`0,${height} ${line} ${width},${height}`} className="fill-ink/8" />
        <polyline
          points={line}
          fill="none"
          className="stroke-muted"
          strokeWidth="1.75"
          vectorEffect="non-scaling-stroke"
          strokeLinejoin="round"
        />
      </svg>
      <figcaption className="figures flex justify-between gap-4 text-muted text-sm">
        <span>
          {formatShortDay(first.day)} · {bytesInWords(first.bytes)}
        </span>
        <span className="text-right">
          Today · {bytesInWords(last.bytes)} in {countOf(last.files, 'file')}
        </span>
      </figcaption>
    </figure>
  )
}
