import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

type CardProps = {
  title?: ReactNode
  description?: ReactNode
  /** A button or menu, right of the title. */
  action?: ReactNode
  /** "danger" is for destructive settings. */
  tone?: 'neutral' | 'danger'
  /** Without padding, for tables and lists that extend to the border. */
  isFlush?: boolean
  children?: ReactNode
}

/** A bordered section of a page. */
export function Card({ title, description, action, tone = 'neutral', isFlush = false, children }: CardProps) {
  return (
    <section
      className={classNames(
        'overflow-clip rounded-md border bg-surface',
        tone === 'danger' ? 'border-danger/40' : 'border-line',
      )}
    >
      {title && (
        <header
          className={classNames(
            'flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 pt-4',
            !children && 'pb-4',
          )}
        >
          {/* When the title has too little room, the button wraps below it. */}
          <div className="min-w-0 flex-1 basis-32">
            <h2 className="font-semibold">{title}</h2>
            {description && <p className="max-w-[96ch] text-pretty text-muted text-sm">{description}</p>}
          </div>
          {action && <div className="flex shrink-0 gap-2">{action}</div>}
        </header>
      )}
      {children && <div className={isFlush ? classNames(Boolean(title) && 'pt-3') : 'p-4'}>{children}</div>}
    </section>
  )
}

type FigureCardProps = { label: string; value: ReactNode; detail?: ReactNode; icon?: ReactNode }

/** One number with its label. */
export function FigureCard({ label, value, detail, icon }: FigureCardProps) {
  return (
    <div className="flex flex-col gap-1 rounded-md border border-line bg-surface p-4">
      <div className="flex items-center justify-between gap-2 text-muted text-sm">
        {label}
        {icon}
      </div>
      <div className="figures font-semibold text-2xl">
        {typeof value === 'number' ? value.toLocaleString('en') : value}
      </div>
      {detail && <div className="figures text-muted text-sm">{detail}</div>}
    </div>
  )
}
