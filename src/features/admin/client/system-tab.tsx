import { useQuery } from '@tanstack/react-query'
import ShieldCheck from 'lucide-react/icons/shield-check'
import { ImageKitCard } from '#features/imagekit/client/imagekit-card.tsx'
import { RemoveHereCard } from '#features/imagekit/client/remove-here-card.tsx'
import { countOf } from '#shared/count.ts'
import { relativeDate } from '#shared/dates.ts'
import { type BadgeTone, Status } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { Progress } from '#ui/progress.tsx'
import { Cell, Row, RowHead, Table } from '#ui/table.tsx'
import type { Health, IntegrityReport, SystemFacts } from '../contract.ts'
import { AiCard } from './ai-card.tsx'
import { LoadState } from './load-state.tsx'
import { useCheckIntegrity } from './mutations.ts'
import { adminQueries } from './queries.ts'
import { SetupCard } from './setup-card.tsx'

export function SystemTab() {
  const system = useQuery(adminQueries.system())
  return (
    <LoadState query={system} what="system information">
      {(facts) => (
        <div className="flex flex-col gap-4">
          <SetupCard setup={facts.setup} />
          <HealthCard health={facts.health} />
          <AiCard />
          <IntegrityCard report={facts.integrity} />
          <ImageKitCard />
          <SettingsCard settings={facts.settings} />
          <RemoveHereCard />
        </div>
      )}
    </LoadState>
  )
}

const tones: Record<Health['status'], BadgeTone> = { ok: 'success', down: 'danger', off: 'neutral', unknown: 'neutral' }
const words: Record<Health['status'], string> = {
  ok: 'OK',
  down: 'Error',
  off: 'Not configured',
  unknown: 'Unknown',
}

function HealthCard({ health }: Pick<SystemFacts, 'health'>) {
  return (
    <Card title="Health" isFlush>
      <ul>
        {health.map(({ name, status, message }) => (
          <li
            key={name}
            className="grid grid-cols-[5rem_1fr] items-baseline gap-x-4 border-line border-t px-4 py-2 text-sm sm:grid-cols-[5rem_6.5rem_1fr]"
          >
            <span className="font-medium">{name}</span>
            <Status tone={tones[status]}>{words[status]}</Status>
            <span className="wrap-anywhere text-muted max-sm:col-span-2">{message}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function SettingsCard({ settings }: Pick<SystemFacts, 'settings'>) {
  return (
    <Card
      title="Current settings"
      description="Set as environment variables or in the .env file before starting the server. Secrets are hidden."
      isFlush
    >
      <Table label="Settings">
        <tbody>
          {settings.map(({ name, value }) => (
            <Row key={name}>
              <RowHead className="w-0 whitespace-nowrap font-mono text-xs">{name}</RowHead>
              <Cell className={value === 'not set' ? 'text-muted' : 'wrap-anywhere'}>{value}</Cell>
            </Row>
          ))}
        </tbody>
      </Table>
    </Card>
  )
}

function IntegrityCard({ report }: { report: IntegrityReport }) {
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
      {/* Only the start and the end are announced; the progress bar is not a live region. */}
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
