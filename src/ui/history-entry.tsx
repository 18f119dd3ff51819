import type { ReactNode } from 'react'
import { Button } from './button.tsx'

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
  return (
    <li className="flex items-center gap-4 py-2.5">
      <div className="min-w-0 grow">
        <p className="truncate" title={title}>
          {title}
        </p>
        <p className="figures text-muted text-sm">{detail}</p>
      </div>
      {action}
      {isUndone && <span className="text-muted text-sm">Undone</span>}
      {!isUndone && !action && onUndo && (
        <Button size="sm" isPending={isPending} onClick={onUndo}>
          Undo
        </Button>
      )}
    </li>
  )
}
