import { type ReactNode, useEffect } from 'react'
import { classNames } from './class-names.ts'
import { recoverLostFocus } from './focus/lost-focus.ts'
import { type DrawingName, LineDrawing } from './line-drawing.tsx'

type EmptyStateProps = {
  drawing: DrawingName
  /** What is missing, in a few words. */
  title: ReactNode
  /** One sentence: what appears here, or why it is empty. */
  description?: ReactNode
  /** One button. */
  action?: ReactNode
  /** Replaces a whole screen, so that its title is the page's heading. */
  isScreen?: boolean
  className?: string
}

export function EmptyState({ drawing, title, description, action, isScreen, className }: EmptyStateProps) {
  // The action usually removes this state together with its focused button.
  useEffect(() => recoverLostFocus, [])
  const Title = isScreen ? 'h1' : 'p'
  return (
    <div className={classNames('flex flex-col items-center justify-center px-6 py-12 text-center', className)}>
      <div className="text-muted">
        <LineDrawing name={drawing} />
      </div>
      <Title className="wrap-anywhere mt-5 max-w-md text-balance font-medium text-lg">{title}</Title>
      {description && <p className="mt-1 max-w-sm text-balance text-muted">{description}</p>}
      {action && <div className="mt-5">{action}</div>}
    </div>
  )
}
