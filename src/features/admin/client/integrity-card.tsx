import ShieldCheck from 'lucide-react/icons/shield-check'
import { countOf } from '#shared/count.ts'
import { relativeDate } from '#shared/dates.ts'
import { Status } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { Progress } from '#ui/progress.tsx'
import type { IntegrityReport } from '../contract.ts'
import { useCheckIntegrity } from './mutations.ts'

export function IntegrityCard({ report }: { report: IntegrityReport }) {
  const check = useCheckIntegrity()
  return (
    <Card
      title="File integrity"
      description="Reads every stored file and compares it with its recorded hash."
      action={
        <Button icon={<ShieldCheck />} isPending={check.isPending || report.isRunning} onClick={() => check.mutate()}>
          Check files
        </Button>
      }
    >
      {report.isRunning && (
        <Progress
          label="Reading the files"
          value={(100 * report.checked) / Math.max(1, report.total)}
          detail={`${report.checked.toLocaleString('en')} of ${report.total.toLocaleString('en')}`}
        />
      )}
      {/* The beginning and the end are told; the bar may be asked for. */}
      <div role="status">
        {report.isRunning ? <span className="sr-only">Reading the files</span> : <Outcome report={report} />}
      </div>
      {report.affected.length > 0 && (
        <ul className="mt-3">
          {report.affected.map(({ id, filename, username, state }) => (
            <li key={id} className="flex items-baseline gap-3 border-line border-t py-2 text-sm">
              <span className="min-w-0 grow truncate">{filename}</span>
              <span className="text-muted">{username}</span>
              <Status tone="danger">{state === 'missing' ? 'Missing' : 'Damaged'}</Status>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function Outcome({ report: { checkedAt, total, damaged, missing } }: { report: IntegrityReport }) {
  if (damaged + missing > 0) {
    return (
      <p className="text-sm">
        <Status tone="danger">
          {countOf(damaged, 'file')} damaged, {missing} missing.
        </Status>{' '}
        Restore a backup to recover them.
      </p>
    )
  }
  if (total === 0) return <p className="text-muted text-sm">No files yet.</p>
  if (!checkedAt) return <p className="text-muted text-sm">Not checked yet.</p>
  return (
    <p className="text-sm">
      <Status tone="success">
        {total === 1 ? 'The only file is' : `All ${countOf(total, 'file')} are`} intact, checked{' '}
        {relativeDate(checkedAt).toLowerCase()}.
      </Status>
    </p>
  )
}
