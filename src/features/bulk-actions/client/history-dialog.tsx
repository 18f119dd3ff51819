import { useQuery } from '@tanstack/react-query'
import { call } from '#platform/client/call.ts'
import { countOf } from '#shared/count.ts'
import { relativeDate } from '#shared/relative-date.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { Spinner } from '#ui/spinner.tsx'
import { bulkApi } from '../contract.ts'
import { historyKey, useUndo } from './bulk-mutations.ts'

/** What was changed in bulk, when, how many, and the way back, for 30 days. */
export function HistoryDialog({ onClose }: { onClose: () => void }) {
  const { data, isPending, error } = useQuery({ queryKey: historyKey, queryFn: () => call(bulkApi.history) })
  const undo = useUndo()
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      size="lg"
      title="History"
      description="Bulk changes of the last 30 days. Undoing never overwrites what was changed since."
    >
      {isPending && <Spinner label="Loading the history" />}
      {error && <Alert title="The history could not be loaded" />}
      {data?.changes.length === 0 && <EmptyState drawing="tray" title="No bulk changes yet" />}
      <ul className="divide-y divide-line">
        {data?.changes.map(({ id, title, itemCount, createdAt, undoneAt }) => (
          <li key={id} className="flex items-center gap-4 py-2.5">
            <div className="min-w-0 grow">
              <p className="truncate" title={title}>
                {title}
              </p>
              <p className="figures text-muted text-sm">
                {countOf(itemCount, 'item')} · {relativeDate(createdAt)},{' '}
                {new Date(createdAt).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}
              </p>
            </div>
            {undoneAt ? (
              <span className="text-muted text-sm">Undone</span>
            ) : (
              <Button size="sm" isPending={undo.isPending && undo.variables === id} onClick={() => undo.mutate(id)}>
                Undo
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
