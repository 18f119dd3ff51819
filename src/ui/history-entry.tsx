import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { takeLostFocus } from './focus/take-lost-focus.ts'

type HistoryEntryProps = {
  title: string
  detail: string
  isUndone: boolean
  /** While it is being undone. */
  isPending: boolean
  /** Absent when there is nothing to undo. */
  onUndo?: () => void
  /** Stands in place of the way back. */
  action?: ReactNode
}

/** One thing that was done, when, and the way back. */
export function HistoryEntry({ title, detail, isUndone, isPending, onUndo, action }: HistoryEntryProps) {
  // Whoever pressed what has gone since goes on at what came in its place.
  const [atFirst] = useState({ isUndone, hasAction: Boolean(action) })
  return (
    <li className="flex items-center gap-4 py-2.5">
      <div className="min-w-0 grow">
        <p className="truncate" title={title}>
          {title}
        </p>
        <p className="figures text-muted text-sm">{detail}</p>
      </div>
      {action}
      {isUndone && (
        <span ref={atFirst.isUndone ? undefined : takeLostFocus} tabIndex={-1} className="text-muted text-sm">
          Undone
        </span>
      )}
      {!isUndone && !action && onUndo && (
        <Button ref={atFirst.hasAction ? takeLostFocus : undefined} size="sm" isPending={isPending} onClick={onUndo}>
          Undo
        </Button>
      )}
    </li>
  )
}
