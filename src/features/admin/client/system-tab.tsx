import { useQuery } from '@tanstack/react-query'
import { ImageKitCard } from '#features/imagekit/client/imagekit-card.tsx'
import { RemoveHereCard } from '#features/imagekit/client/remove-here-card.tsx'
import { type BadgeTone, Status } from '#ui/badge.tsx'
import { Card } from '#ui/card.tsx'
import { Cell, Row, RowHead, Table } from '#ui/table.tsx'
import type { Health, SystemFacts } from '../contract.ts'
import { AiCard } from './ai-card.tsx'
import { IntegrityCard } from './integrity-card.tsx'
import { LoadState } from './load-state.tsx'
import { adminQueries } from './queries.ts'

export function SystemTab() {
  const system = useQuery(adminQueries.system())
  return (
    <LoadState query={system} what="system information">
      {(facts) => (
        <div className="flex flex-col gap-4">
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
