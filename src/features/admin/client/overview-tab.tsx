import { useQuery } from '@tanstack/react-query'
import FolderClosed from 'lucide-react/icons/folder-closed'
import HardDrive from 'lucide-react/icons/hard-drive'
import Image from 'lucide-react/icons/image'
import Users from 'lucide-react/icons/users'
import { failureReason } from '#platform/client/call.ts'
import { bytesInWords } from '#shared/bytes.ts'
import { countOf } from '#shared/count.ts'
import { formatShortDay, relativeDate } from '#shared/dates.ts'
import { Badge } from '#ui/badge.tsx'
import { Card, FigureCard } from '#ui/card.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import type { AdminStats, StorageHistory } from '../contract.ts'
import { JobsCard } from './jobs-card.tsx'
import { LoadState } from './load-state.tsx'
import { adminQueries } from './queries.ts'

export function OverviewTab() {
  const stats = useQuery(adminQueries.stats())
  return (
    <div className="flex flex-col gap-4">
      {stats.error && !stats.data ? (
        <LoadFailure what="the overview" why={failureReason(stats.error)} onRetry={() => void stats.refetch()} />
      ) : (
        <Figures stats={stats.data} />
      )}
      <StorageCard />
      {stats.data && <RecentActivity stats={stats.data} />}
      {/* It is shown when the height of the content above is known. */}
      {!stats.isPending && <JobsCard />}
    </div>
  )
}

/** Keeps the height while the numbers load. */
const noFigure = '\u00a0'

function Figures({ stats }: { stats: AdminStats | undefined }) {
  return (
    <div aria-busy={!stats} className="grid grid-cols-2 gap-3 lg:grid-cols-4 [@media(width<16rem)]:grid-cols-1">
      <FigureCard
        label="Total Users"
        icon={<Users aria-hidden="true" />}
        value={stats?.totalUsers ?? noFigure}
        detail={stats ? countOf(stats.adminUsers, 'administrator') : noFigure}
      />
      <FigureCard
        label="Total Media"
        icon={<Image aria-hidden="true" />}
        value={stats?.totalMedia ?? noFigure}
        detail="Images and videos"
      />
      <FigureCard
        label="Collections"
        icon={<FolderClosed aria-hidden="true" />}
        value={stats?.totalCollections ?? noFigure}
        detail="Across all users"
      />
      <FigureCard
        label="Storage Used"
        icon={<HardDrive aria-hidden="true" />}
        value={stats ? bytesInWords(stats.totalStorage) : noFigure}
        detail="Including the Trash"
      />
    </div>
  )
}

function RecentActivity({ stats: { recentActivity } }: { stats: AdminStats }) {
  const { recentMedia, recentUsers } = recentActivity
  return (
    <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
      <Card title="Recent media" isFlush>
        {recentMedia.length === 0 && <p className="px-4 pb-4 text-muted text-sm">No media files yet</p>}
        <ul>
          {recentMedia.map(({ id, filename, username, created_at }) => (
            // On a phone the name has its own line; next to the other fields only seven letters of it would fit.
            <li
              key={id}
              className="flex items-baseline gap-x-3 border-line border-t px-4 py-2 text-sm max-sm:flex-wrap"
            >
              <span className="min-w-0 grow truncate max-sm:basis-full" title={filename}>
                {filename}
              </span>
              <span className="max-w-32 shrink-0 truncate text-muted max-sm:max-w-none max-sm:shrink max-sm:grow max-sm:basis-0">
                {username}
              </span>
              <span className="figures w-24 shrink-0 text-right text-muted">{relativeDate(created_at)}</span>
            </li>
          ))}
        </ul>
      </Card>
      <Card title="Recent users" isFlush>
        <ul>
          {recentUsers.map(({ id, username, email, is_admin, created_at }) => (
            <li key={id} className="flex items-baseline gap-3 border-line border-t px-4 py-2 text-sm">
              <span className="min-w-0 grow truncate">
                {username} <span className="text-muted">{email}</span>
              </span>
              {is_admin && <Badge tone="info">Admin</Badge>}
              <span className="figures w-24 shrink-0 text-right text-muted">{relativeDate(created_at)}</span>
            </li>
          ))}
        </ul>
      </Card>
    </div>
  )
}

const width = 600
const height = 120

function StorageCard() {
  const history = useQuery(adminQueries.storageHistory())
  return (
    <Card title="Storage over time" description="The last 30 days, based on current items.">
      {/* The chart's height, including its text, so that nothing moves when it loads. */}
      <div className="min-h-37">
        <LoadState query={history} what="history">
          {(data) => <StorageChart days={data.days} />}
        </LoadState>
      </div>
    </Card>
  )
}

/** A line over a filled area; its text alternative says the same. */
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
