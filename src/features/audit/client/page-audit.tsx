import { useQuery, useQueryClient } from '@tanstack/react-query'
import ScanSearch from 'lucide-react/icons/scan-search'
import { failureReason } from '#platform/client/call.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { AuditView } from './audit-view.tsx'
import { useStartAudit } from './mutations.ts'
import { auditQueries } from './queries.ts'

/** The audit of the page that was just analyzed. */
export function PageAudit({ pageUrl }: { pageUrl: string }) {
  const queryClient = useQueryClient()
  const ofPage = auditQueries.ofPage(pageUrl)
  const { data: id } = useQuery(ofPage)
  const start = useStartAudit()
  if (id !== undefined) return <AuditView key={id} id={id} />
  return (
    <Card>
      <EmptyState
        drawing="search"
        title="Not audited yet"
        description="The audit checks every picture of this page: alt text, weight, format, size and name."
        action={
          <Button
            variant="primary"
            icon={<ScanSearch aria-hidden="true" />}
            isPending={start.isPending}
            onClick={() =>
              start.mutate(
                { urls: [pageUrl] },
                { onSuccess: (audit) => queryClient.setQueryData(ofPage.queryKey, audit.id) },
              )
            }
          >
            Audit Page
          </Button>
        }
      />
      {start.error && <Alert title="Couldn't start the audit">{failureReason(start.error)}</Alert>}
    </Card>
  )
}
