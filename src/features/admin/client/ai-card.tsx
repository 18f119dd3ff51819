import { useQuery } from '@tanstack/react-query'
import Stethoscope from 'lucide-react/icons/stethoscope'
import { countOf } from '#shared/count.ts'
import { Badge, Status } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { Cell, Head, Row, RowHead, Table } from '#ui/table.tsx'
import type { AiState, AiVerdict } from '../contract.ts'
import { HubModels } from './hub-models.tsx'
import { LoadState } from './load-state.tsx'
import { useCheckAi } from './mutations.ts'
import { adminQueries } from './queries.ts'

const inWords: Record<string, string> = { local: 'Built-in', hub: 'Larger models', openai: 'Endpoint' }

/** The AI models, their queue, throughput and failures. */
export function AiCard() {
  const ai = useQuery(adminQueries.ai())
  const check = useCheckAi()
  const canCheck = ai.data !== undefined && ai.data.providers.length > 0
  return (
    <Card
      title="AI"
      description={ai.data && introduction(ai.data)}
      action={
        canCheck && (
          <Button icon={<Stethoscope />} isPending={check.isPending} onClick={() => check.mutate()}>
            Check now
          </Button>
        )
      }
      isFlush
    >
      <LoadState query={ai} what="AI status" isFlush>
        {(state) => (
          <>
            {state.providers.length > 0 && (
              <ProviderTable providers={state.providers} verdicts={check.data?.verdicts ?? []} />
            )}
            <ModelState models={state.models} />
            <HubModels models={state.hub} hasEndpoint={state.providers[0]?.name === 'openai'} />
            <Figures ai={state} />
            {state.failures.length > 0 && <FailureList failures={state.failures} />}
          </>
        )}
      </LoadState>
    </Card>
  )
}

function introduction({ providers }: AiState) {
  if (providers.length === 0) return 'AI is off. Set AI_LOCAL=1, or AI_BASE_URL and AI_MODEL.'
  if (providers.length === 1) return undefined
  return 'The first provider describes and tags. The others assist, and take over if it fails.'
}

type ProviderTableProps = Pick<AiState, 'providers'> & { verdicts: AiVerdict[] }

function ProviderTable({ providers, verdicts }: ProviderTableProps) {
  return (
    <Table label="AI providers">
      <Head columns={['Provider', 'Model', 'Cost'].map((label) => ({ label }))} />
      <tbody>
        {providers.map(({ name, model, version, isPaid }) => {
          const verdict = verdicts.find((each) => each.name === name)
          return (
            <Row key={name}>
              <RowHead className="whitespace-nowrap align-baseline">{inWords[name] ?? name}</RowHead>
              <Cell className="wrap-anywhere min-w-40 align-baseline">
                {model} <span className="text-muted">(version {version})</span>
                <p aria-live="polite" aria-atomic="true" className={verdict?.isOk ? 'text-success' : 'text-danger'}>
                  {verdict?.message}
                </p>
              </Cell>
              <Cell className="align-baseline">{isPaid ? <Badge tone="info">Paid</Badge> : <Badge>Free</Badge>}</Cell>
            </Row>
          )
        })}
      </tbody>
    </Table>
  )
}

const tones = { ready: 'success', installing: 'info', unknown: 'neutral', off: 'neutral', missing: 'danger' } as const

function ModelState({ models: { state, message, directory, missing } }: Pick<AiState, 'models'>) {
  return (
    <div className="border-line border-t px-4 py-3 text-sm">
      <Status tone={tones[state]}>
        <span className="whitespace-normal">{message}</span>
      </Status>
      {state !== 'off' && (
        <p className="wrap-anywhere mt-0.5 text-muted">
          {missing.length > 0 ? `Missing in ${directory}: ${missing.join(', ')}` : directory}
        </p>
      )}
    </div>
  )
}

function Figures({ ai: { queue, analysedInLastHour, usage } }: { ai: AiState }) {
  const { sentThisMonth, monthlyLimit, monthlyLimitPerUser } = usage
  const ofLimit = monthlyLimit === null ? '' : ` of ${monthlyLimit.toLocaleString('en')}`
  const each = monthlyLimitPerUser === null ? '' : `, up to ${monthlyLimitPerUser.toLocaleString('en')} per user`
  const figures: [label: string, value: string][] = [
    ['Queued', queue.waiting.toLocaleString('en')],
    ['Running', queue.active.toLocaleString('en')],
    ['Failed jobs', queue.failed.toLocaleString('en')],
    ['In the last hour', `${countOf(analysedInLastHour, 'item')} analyzed`],
    ['Paid this month', `${sentThisMonth.toLocaleString('en')}${ofLimit} sent${each}`],
  ]
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-2 border-line border-t px-4 py-3 text-sm">
      {figures.map(([label, value]) => (
        <div key={label}>
          <dt className="text-muted text-xs">{label}</dt>
          <dd className="figures">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function FailureList({ failures }: Pick<AiState, 'failures'>) {
  return (
    <section aria-label="Failed analyses" className="border-line border-t">
      <h3 className="px-4 pt-3 pb-1 font-medium text-sm">Failed analyses, by reason</h3>
      <ul className="pb-2">
        {failures.map(({ code, message, count }) => (
          <li key={`${code} ${message}`} className="flex items-baseline gap-4 px-4 py-1 text-sm">
            <span className="wrap-anywhere grow">{message}</span>
            <span className="figures shrink-0 text-muted">{countOf(count, 'item')}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
