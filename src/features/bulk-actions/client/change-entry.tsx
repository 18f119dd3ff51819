import { countOf } from '#shared/count.ts'
import { HistoryEntry } from '#ui/history-entry.tsx'
import type { Change } from '../contract.ts'
import { useUndo } from './bulk-mutations.ts'

/** A bulk change in the history. */
export function ChangeEntry({ change, when }: { change: Change; when: string }) {
  const undo = useUndo()
  return (
    <HistoryEntry
      title={change.title}
      detail={`${countOf(change.itemCount, 'item')} · ${when}`}
      isUndone={change.undoneAt !== null}
      isPending={undo.isPending}
      onUndo={() => undo.mutate(change.id)}
    />
  )
}
