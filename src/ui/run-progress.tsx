import { countOf } from '#shared/count.ts'
import { Progress } from './progress.tsx'

type Counts = { done: number; total: number; failed?: number }

/** "12 of 40 items · 1 failed" */
export function progressInWords({ done, total, failed = 0 }: Counts): string {
  const failures = failed > 0 ? ` · ${failed.toLocaleString('en')} failed` : ''
  return `${done.toLocaleString('en')} of ${countOf(total, 'item')}${failures}`
}

type RunProgressProps = {
  label: string
  /** Undefined until the first progress is known. */
  progress: (Counts & { pause?: string | null }) | undefined
  /** The number of items, shown until the progress is known. */
  total: number
}

/** How far work on many items is, and why it is paused. */
export function RunProgress({ label, progress, total }: RunProgressProps) {
  const percent = progress && progress.total > 0 ? (progress.done / progress.total) * 100 : null
  return (
    <div>
      <Progress label={label} value={percent} detail={progressInWords(progress ?? { done: 0, total })} />
      <p role="status" className="text-muted text-sm not-empty:pt-2">
        {progress?.pause && `${progress.pause} Resumes automatically.`}
      </p>
    </div>
  )
}
