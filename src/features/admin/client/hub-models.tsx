import Download from 'lucide-react/icons/download'
import type { HubModelState } from '#features/analysis/contract.ts'
import { formatBytes } from '#shared/bytes.ts'
import { Status } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { Progress } from '#ui/progress.tsx'
import { useSetUpHubModel, useStopHubModel } from './mutations.ts'

/** Large models that can be added to the built-in AI: what they cost, how far they are, and one button each. */
export function HubModels({ models, hasEndpoint }: { models: HubModelState[]; hasEndpoint: boolean }) {
  return (
    <section aria-label="Larger models" className="border-line border-t">
      <h3 className="px-4 pt-3 font-medium text-sm">Larger models</h3>
      <p className="px-4 pb-1 text-muted text-sm">
        They run on this server, next to the built-in AI, and need about 2 GB of memory. Each must pass a test with
        twelve pictures before it is used. Then all analyzed items are analyzed again; users can revert that.
        {hasEndpoint && ' The endpoint is used first.'}
      </p>
      <ul>
        {models.map((model) => (
          <HubModel key={model.id} model={model} />
        ))}
      </ul>
    </section>
  )
}

function HubModel({ model }: { model: HubModelState }) {
  const { name, makes, licence, origin, source, bytes, secondsPerPicture, isMeasured, isDownloaded } = model
  const time = `${isMeasured ? '' : 'about '}${formatSeconds(secondsPerPicture)} per picture`
  const size = isDownloaded ? `${formatBytes(bytes)}, downloaded` : formatBytes(bytes)
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 border-line border-t px-4 py-3 text-sm first:border-t-0">
      <div className="min-w-0 grow basis-72">
        <p className="font-medium">{name}</p>
        <p>{makes}</p>
        <p className="wrap-anywhere text-muted">
          {size} · {licence} · {time}
        </p>
        <p className="wrap-anywhere text-muted">
          {origin}; from {source}
        </p>
        <Phase model={model} />
      </div>
      <Action model={model} />
    </li>
  )
}

const formatSeconds = (seconds: number) => `${seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)} s`

function Phase({ model: { phase, message, doneBytes, bytes } }: { model: HubModelState }) {
  if (phase === 'off') return null
  if (phase === 'downloading' || phase === 'waiting') {
    const detail = `${formatBytes(doneBytes)} of ${formatBytes(bytes)}`
    return <Progress className="mt-2" label="Downloading" value={(100 * doneBytes) / bytes} detail={detail} />
  }
  if (phase === 'examining') return <Progress className="mt-2" label="Testing with twelve pictures" value={null} />
  return (
    <div aria-live="polite" className="mt-1">
      <Status tone={phase === 'used' ? 'success' : 'danger'}>
        <span className="wrap-anywhere whitespace-normal">
          {phase === 'used' ? `In use. ${message}` : `Not used. ${message}`}
        </span>
      </Status>
    </div>
  )
}

const labels = {
  off: 'Set up',
  failed: 'Try again',
  waiting: 'Cancel',
  downloading: 'Cancel',
  examining: 'Cancel',
  used: 'Stop using',
}

function Action({ model: { id, name, phase, isDownloaded } }: { model: HubModelState }) {
  const setUp = useSetUpHubModel()
  const stop = useStopHubModel()
  const isIdle = phase === 'off' || phase === 'failed'
  const label = phase === 'off' && isDownloaded ? 'Use' : labels[phase]
  return (
    <Button
      icon={isIdle ? <Download /> : undefined}
      isPending={setUp.isPending || stop.isPending}
      aria-label={`${label}: ${name}`}
      onClick={() => (isIdle ? setUp : stop).mutate(id)}
    >
      {label}
    </Button>
  )
}
