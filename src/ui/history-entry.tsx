import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { focusIfLost } from './focus/lost-focus.ts'

type HistoryEntryProps = {
  title: string
  detail: string
  isUndone: boolean
  /** True while the undo is running. */
  isPending: boolean
  /** Absent when it cannot be undone. */
  onUndo?: () => void
  /** Shown instead of the Undo button. */
  action?: ReactNode
}

/** One entry of a history: what was done, when, and an Undo button. */
export function HistoryEntry({ title, detail, isUndone, isPending, onUndo, action }: HistoryEntryProps) {
  // When the state changes, the element that replaces the pressed button takes over its focus.
  const [initial] = useState({ isUndone, hasAction: Boolean(action) })
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
        <span ref={initial.isUndone ? undefined : focusIfLost} tabIndex={-1} className="text-muted text-sm">
          Undone
        </span>
      )}
      {!isUndone && !action && onUndo && (
        <Button ref={initial.hasAction ? focusIfLost : undefined} size="sm" isPending={isPending} onClick={onUndo}>
          Undo
        </Button>
      )}
    </li>
  )
}
