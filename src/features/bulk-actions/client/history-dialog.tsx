import { useQuery } from '@tanstack/react-query'
import { AiRunEntry } from '#features/analysis/client/ai-run-entry.tsx'
import { analysisQueries } from '#features/analysis/client/queries.ts'
import { call, whyMissing } from '#platform/client/call.ts'
import { countOf } from '#shared/count.ts'
import { relativeDate } from '#shared/relative-date.ts'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { HistoryEntry } from '#ui/history-entry.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { Spinner } from '#ui/spinner.tsx'
import { bulkApi } from '../contract.ts'
import { historyKey, useUndo } from './bulk-mutations.ts'

/** What was changed in bulk, by hand or by the AI, when, how many, and the way back, for 30 days. */
export function HistoryDialog({ onClose }: { onClose: () => void }) {
  const changes = useQuery({ queryKey: historyKey, queryFn: () => call(bulkApi.history) })
  const runs = useQuery(analysisQueries.runs())
  const undo = useUndo()
  const entries = [
    ...(changes.data?.changes ?? []).map(({ createdAt, ...change }) => ({
      createdAt,
      row: (
        <HistoryEntry
          key={change.id}
          title={change.title}
          detail={`${countOf(change.itemCount, 'item')} · ${whenWords(createdAt)}`}
          isUndone={change.undoneAt !== null}
          isPending={undo.isPending && undo.variables === change.id}
          onUndo={() => undo.mutate(change.id)}
        />
      ),
    })),
    ...(runs.data?.runs ?? []).map((run) => ({
      createdAt: run.createdAt,
      row: <AiRunEntry key={run.runId} run={run} when={whenWords(run.createdAt)} />,
    })),
  ].sort((a, b) => b.createdAt.localeCompare(a.createdAt))
  const isPending = changes.isPending || runs.isPending
  const failed = [changes, runs].find(({ error, data }) => error && !data)
  const retry = () => {
    void changes.refetch()
    void runs.refetch()
  }
  return (
    <Dialog
      onClose={onClose}
      size="lg"
      title="History"
      description="The newest bulk changes of the last 30 days. Undoing never overwrites what was changed since."
    >
      {isPending && <Spinner label="Loading the history" />}
      {failed && <LoadFailure what="The history" why={whyMissing(failed.error)} onRetry={retry} />}
      {!isPending && !failed && entries.length === 0 && (
        <EmptyState drawing="tray" title="No bulk changes yet" action={<Button onClick={onClose}>Close</Button>} />
      )}
      <ul className="divide-y divide-line">{entries.map(({ row }) => row)}</ul>
    </Dialog>
  )
}

const whenWords = (createdAt: string) =>
  `${relativeDate(createdAt)}, ${new Date(createdAt).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}`
