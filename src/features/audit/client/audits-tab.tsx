import { useQuery } from '@tanstack/react-query'
import ArrowLeft from 'lucide-react/icons/arrow-left'
import { useSearch } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { failureReason } from '#platform/client/call.ts'
import { countOf } from '#shared/count.ts'
import { relativeDate } from '#shared/dates.ts'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { AuditForm } from './audit-form.tsx'
import { AuditView } from './audit-view.tsx'
import { auditQueries } from './queries.ts'
import { StatusBadge } from './status-badge.tsx'

/** The audit that the address names, or undefined. */
function useAuditId(): number | undefined {
  const id = Number(new URLSearchParams(useSearch()).get('audit'))
  return Number.isSafeInteger(id) && id > 0 ? id : undefined
}

const openAudit = (id: number | undefined) => navigate(id === undefined ? '/scraper' : `/scraper?audit=${id}`)

/** One audit, or the form for a new one with the audits of the last day. */
export function AuditsTab() {
  const id = useAuditId()
  if (id !== undefined)
    return (
      <div className="flex flex-col gap-4">
        <Button
          variant="quiet"
          size="sm"
          icon={<ArrowLeft aria-hidden="true" />}
          onClick={() => openAudit(undefined)}
          className="self-start"
        >
          All audits
        </Button>
        <AuditView key={id} id={id} />
      </div>
    )
  return (
    <div className="flex flex-col gap-5">
      <AuditForm onStarted={openAudit} />
      <RecentAudits />
    </div>
  )
}

function RecentAudits() {
  const { data, error, refetch } = useQuery(auditQueries.list())
  if (error && !data) return <LoadFailure what="audits" why={failureReason(error)} onRetry={() => void refetch()} />
  if (!data || data.audits.length === 0) return null
  return (
    <Card title="Recent audits" description="Audits are kept for a day." isFlush>
      <ul className="divide-y divide-line border-line border-t">
        {data.audits.map((audit) => (
          <li key={audit.id}>
            <button
              type="button"
              tabIndex={0}
              onClick={() => openAudit(audit.id)}
              className="flex min-h-12 w-full items-center gap-3 px-4 py-2 text-left hover:bg-hover focus-visible:-outline-offset-2"
            >
              <span className="min-w-0 grow truncate font-medium">{audit.website}</span>
              <span className="figures shrink-0 text-muted text-sm">
                {countOf(audit.progress.total, 'page')} · {relativeDate(audit.createdAt)}
              </span>
              <StatusBadge status={audit.status} />
            </button>
          </li>
        ))}
      </ul>
    </Card>
  )
}
