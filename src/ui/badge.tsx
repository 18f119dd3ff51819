import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type BadgeTone = 'neutral' | 'success' | 'info' | 'danger'

const tones: Record<BadgeTone, string> = {
  neutral: 'bg-hover text-muted',
  success: 'bg-success/10 text-success',
  info: 'bg-info/10 text-info',
  danger: 'bg-danger/10 text-danger',
}

/** A state or kind, in one word. */
export function Badge({
  tone = 'neutral',
  icon,
  children,
}: {
  tone?: BadgeTone
  icon?: ReactNode
  children: ReactNode
}) {
  return (
    <span
      className={classNames(
        'figures inline-flex h-5 items-center gap-1 whitespace-nowrap rounded-full px-2 font-medium text-xs [&_.lucide]:size-3',
        tones[tone],
      )}
    >
      {icon}
      {children}
    </span>
  )
}

const dots: Record<BadgeTone, string> = {
  neutral: 'bg-faint',
  success: 'bg-success',
  info: 'bg-info',
  danger: 'bg-danger',
}

/** A state as text with a colored dot, for tables. */
export function Status({ tone = 'neutral', children }: { tone?: BadgeTone; children: ReactNode }) {
  return (
    // Aligned to the text's baseline, so that it lines up with neighboring text.
    <span className="inline-flex items-baseline gap-2 whitespace-nowrap">
      <span aria-hidden="true" className={classNames('relative -top-px size-1.5 shrink-0 rounded-full', dots[tone])} />
      {children}
    </span>
  )
}
