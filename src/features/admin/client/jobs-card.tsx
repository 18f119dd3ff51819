import { useQuery } from '@tanstack/react-query'
import RotateCcw from 'lucide-react/icons/rotate-ccw'
import X from 'lucide-react/icons/x'
import { relativeDate } from '#shared/dates.ts'
import { Status } from '#ui/badge.tsx'
import { Card } from '#ui/card.tsx'
import { useListFocus } from '#ui/focus/use-list-focus.ts'
import { IconButton } from '#ui/icon-button.tsx'
import { Cell, Head, Row, RowHead, Table } from '#ui/table.tsx'
import type { JobsOverview } from '../contract.ts'
import { LoadState } from './load-state.tsx'
import { useDismissJob, useRetryJob } from './mutations.ts'
import { adminQueries } from './queries.ts'

export function JobsCard() {
  const jobs = useQuery(adminQueries.jobs())
  return (
    <Card
      title="Background jobs"
      description={jobs.data && jobs.data.kinds.length === 0 ? 'No queued or failed jobs.' : undefined}
      isFlush
    >
      {jobs.data?.kinds.length !== 0 && (
        <LoadState query={jobs} what="background jobs" isFlush>
          {({ kinds, failures }) => (
            <>
              <KindTable kinds={kinds} />
              {failures.length > 0 && <FailureList failures={failures} />}
            </>
          )}
        </LoadState>
      )}
    </Card>
  )
}

/** "make-sprite" reads as "Make sprite". */
const inWords = (kind: string) => kind.charAt(0).toUpperCase() + kind.slice(1).replaceAll('-', ' ')

const columns = [{ label: 'Job' }, ...['Queued', 'Running', 'Failed'].map((label) => ({ label, isNumeric: true }))]

function KindTable({ kinds }: Pick<JobsOverview, 'kinds'>) {
  return (
    <Table label="Jobs by kind" maxHeight="320px">
      <Head columns={columns} />
      <tbody>
        {kinds.map(({ kind, waiting, active, failed }) => (
          <Row key={kind}>
            <RowHead>
              <Status tone={failed > 0 ? 'danger' : active > 0 ? 'info' : 'neutral'}>{inWords(kind)}</Status>
            </RowHead>
            <Cell isNumeric>{waiting}</Cell>
            <Cell isNumeric>{active}</Cell>
            <Cell isNumeric>{failed}</Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  )
}

function FailureList({ failures }: Pick<JobsOverview, 'failures'>) {
  const retry = useRetryJob()
  const dismiss = useDismissJob()
  const list = useListFocus<HTMLUListElement>(failures.map(({ id }) => id).join())
  return (
    <section aria-label="Failed jobs" className="border-line border-t">
      <h3 className="px-4 pt-3 pb-1 font-medium text-sm">Failed</h3>
      <ul {...list}>
        {failures.map(({ id, kind, error, failedAt }) => (
          <li key={id} className="flex items-center gap-3 border-line border-t px-4 py-2 text-sm first:border-t-0">
            <div className="min-w-0 grow">
              <p className="wrap-anywhere">{error}</p>
              <p className="text-muted text-xs">
                {inWords(kind)} · {relativeDate(failedAt)}
              </p>
            </div>
            <IconButton
              label={`Retry: ${inWords(kind)}`}
              icon={<RotateCcw />}
              size="sm"
              isPending={retry.isPending && retry.variables === id}
              onClick={() => retry.mutate(id)}
            />
            <IconButton
              label={`Dismiss: ${inWords(kind)}`}
              icon={<X />}
              size="sm"
              isPending={dismiss.isPending && dismiss.variables === id}
              onClick={() => dismiss.mutate(id)}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}
