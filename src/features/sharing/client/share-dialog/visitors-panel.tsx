import { useQuery } from '@tanstack/react-query'
import type { Collection } from '#features/collections/contract.ts'
import { failureReason } from '#platform/client/call.ts'
import { countOf } from '#shared/count.ts'
import { formatShortDay } from '#shared/dates.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { Spinner } from '#ui/spinner.tsx'
import { sharingQueries } from '../queries.ts'

const counting = 'Each visitor counts once per hour. No personal data is stored.'

export function VisitorsPanel({ collection }: { collection: Collection }) {
  const { data, error, refetch } = useQuery(sharingQueries.statistics(collection.id))
  if (!data && error) return <LoadFailure what="visitors" why={failureReason(error)} onRetry={() => void refetch()} />
  if (!data) return <Spinner label="Loading visitors" />
  if (data.total === 0)
    return (
      <EmptyState
        drawing="picture"
        title="No views yet"
        description={`Views of the public page appear here. ${counting}`}
      />
    )
  const most = Math.max(1, ...data.days.map(({ views }) => views))
  const recent = data.days.reduce((sum, { views }) => sum + views, 0)
  return (
    <div className="space-y-4 pb-5">
      <p className="figures">
        <span className="font-semibold text-2xl">{data.total.toLocaleString('en')}</span>{' '}
        <span className="text-muted">
          {data.total === 1 ? 'view' : 'views'} in total, {countOf(recent, 'view')} in the last 30 days
        </span>
      </p>
      <div className="space-y-1.5">
        <ul aria-label="Views by day" className="flex h-32 items-end gap-0.5">
          {data.days.map(({ day, views }) => {
            const words = `${formatShortDay(day)}: ${countOf(views, 'view')}`
            return (
              <li key={day} title={words} className="flex h-full grow items-end">
                <span className="sr-only">{words}</span>
                <span
                  aria-hidden="true"
                  className="w-full rounded-t-[2px] bg-muted"
                  style={{
                    height: `${Math.max(views > 0 ? 4 : 1, (views / most) * 100)}%`,
                    opacity: views > 0 ? 1 : 0.25,
                  }}
                />
              </li>
            )
          })}
        </ul>
        <p aria-hidden="true" className="figures flex justify-between text-muted text-xs">
          <span>{formatShortDay(data.days[0]!.day)}</span>
          <span>Today</span>
        </p>
      </div>
      <p className="text-muted text-sm">{counting}</p>
    </div>
  )
}
