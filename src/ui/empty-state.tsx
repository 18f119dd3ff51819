import { type ReactNode, useEffect } from 'react'
import { classNames } from './class-names.ts'
import { type DrawingName, LineDrawing } from './line-drawing.tsx'
import { leadLostFocusOn } from './take-lost-focus.ts'

type EmptyStateProps = {
  drawing: DrawingName
  /** One sentence. */
  title: ReactNode
  description?: ReactNode
  /** One button. */
  action?: ReactNode
  className?: string
}

export function EmptyState({ drawing, title, description, action, className }: EmptyStateProps) {
  // Its button mostly makes an end of it, and goes with it.
  useEffect(() => leadLostFocusOn, [])
  return (
    <div className={classNames('flex flex-col items-center justify-center px-6 py-12 text-center', className)}>
      <div className="text-muted">
        <LineDrawing name={drawing} />
      </div>
      <p className="wrap-anywhere mt-5 max-w-md text-balance font-medium">{title}</p>
      {description && <p className="mt-1 max-w-sm text-balance text-muted text-sm">{description}</p>}
      {action && <div className="mt-5">{action}</div>}
    </div>
  )
}
