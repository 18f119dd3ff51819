import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

type ProgressProps = {
  /** What is in progress. */
  label: string
  /** 0 to 100, or null while the total is unknown. */
  value: number | null
  /** Numbers: "12 of 40 · 3.1 MB/s · 20 s left". */
  detail?: ReactNode
  tone?: 'accent' | 'success' | 'danger'
  /** Shows only the bar; the label is still announced. */
  isBare?: boolean
  className?: string
}

const fills = { accent: 'bg-accent', success: 'bg-success', danger: 'bg-danger' }

export function Progress({ label, value, detail, tone = 'accent', isBare = false, className }: ProgressProps) {
  const percent = value === null ? null : Math.min(100, Math.max(0, value))
  return (
    <div className={classNames('flex min-w-0 flex-col gap-1.5', className)}>
      {!isBare && (
        <div className="flex items-baseline justify-between gap-4 text-sm">
          <span className="min-w-0 truncate">{label}</span>
          {detail && <span className="figures shrink-0 text-muted">{detail}</span>}
        </div>
      )}
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent === null ? undefined : Math.round(percent)}
        className="h-1 overflow-hidden rounded-full bg-line-strong"
      >
        {percent === null ? (
          <div
            className={classNames(
              'h-full w-2/5 animate-sweep rounded-full',
              'motion-reduce:w-full motion-reduce:animate-none motion-reduce:opacity-60',
              fills[tone],
            )}
          />
        ) : (
          <div
            className={classNames(
              'h-full w-full origin-left rounded-full transition-transform duration-(--motion-enter)',
              fills[tone],
            )}
            style={{ transform: `translateX(${percent - 100}%)` }}
          />
        )}
      </div>
    </div>
  )
}
