import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { AiRunEntry } from '#features/analysis/client/ai-run-entry.tsx'
import { analysisQueries } from '#features/analysis/client/queries.ts'
import { DeleteAllVersions } from '#features/versions/client/delete-all-versions.tsx'
import { call, failureReason } from '#platform/client/call.ts'
import { useRunProgress } from '#platform/client/run-progress.ts'
import { countOf } from '#shared/count.ts'
import { relativeDate } from '#shared/dates.ts'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { HistoryEntry } from '#ui/history-entry.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { progressInWords } from '#ui/run-progress.tsx'
import { Spinner } from '#ui/spinner.tsx'
import { StopButton } from '#ui/stop-button.tsx'
import type { bulkApi, Change, RunUnderWay } from '../contract.ts'
import { historyKey, useStopRun, useUndo } from './bulk-mutations.ts'

const rowsPerPage = 100

/** Lists the changes of the last 30 days, by the user or the AI, with their date, item count and an undo button. */
export function HistoryDialog({ onClose }: { onClose: () => void }) {
  const [rows, setRows] = useState(rowsPerPage)
  // One more row than is shown tells whether there are more.
  const limit = rows + 1
  const changes = useQuery({
    queryKey: [...historyKey, limit],
    queryFn: ({ signal }) => call<typeof bulkApi.history>('GET /api/history', { query: { limit } }, { signal }),
    placeholderData: keepPreviousData,
  })
  const runs = useQuery(analysisQueries.runs(limit))
  const [knownChanges, knownRuns] = [useLast(changes.data), useLast(runs.data)]
  const entries = [
    ...(knownChanges?.underWay ?? []).map((run) => ({
      createdAt: run.createdAt,
      row: <RunEntry key={run.runId} run={run} when={whenWords(run.createdAt)} />,
    })),
    ...(knownChanges?.changes ?? []).map((change) => ({
      createdAt: change.createdAt,
      row: <ChangeEntry key={change.id} change={change} when={whenWords(change.createdAt)} />,
    })),
    ...(knownRuns?.runs ?? []).map((run) => ({
      createdAt: run.createdAt,
      row: <AiRunEntry key={run.runId} run={run} when={whenWords(run.createdAt)} />,
    })),
  ].sort((a, b) => b.createdAt.localeCompare(a.createdAt))
  const isComing = changes.isPlaceholderData || runs.isPlaceholderData
  const isPending = changes.isPending || runs.isPending
  const failed = [changes, runs].find(({ error, data }) => error && !data)
  const shown = isComing || failed ? Math.max(rows - rowsPerPage, rowsPerPage) : rows
  const retry = () => {
    void changes.refetch()
    void runs.refetch()
  }
  return (
    <Dialog
      onClose={onClose}
      size="lg"
      title="History"
      description="Bulk changes and conversions from the last 30 days, newest first. Undo skips items changed since."
      footer={<DeleteAllVersions />}
    >
      {isPending && <Spinner label="Loading history" />}
      {!isPending && !failed && entries.length === 0 && (
        <EmptyState drawing="tray" title="No changes yet" action={<Button onClick={onClose}>Close</Button>} />
      )}
      <ul className="divide-y divide-line">{entries.slice(0, shown).map(({ row }) => row)}</ul>
      {failed && <LoadFailure what="history" why={failureReason(failed.error)} onRetry={retry} />}
      {entries.length > shown && !failed && (
        <div className="mt-3 flex justify-center">
          <Button isPending={isComing} onClick={() => setRows(rows + rowsPerPage)}>
            Show more
          </Button>
        </div>
      )}
    </Dialog>
  )
}

/** Keeps the previous data while the next request is pending or after it failed. */
function useLast<T>(data: T | undefined): T | undefined {
  const [last, setLast] = useState(data)
  if (data !== undefined && data !== last) setLast(data)
  return data ?? last
}

const whenWords = (createdAt: string) =>
  `${relativeDate(createdAt)}, ${new Date(createdAt).toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' })}`

function ChangeEntry({ change, when }: { change: Change; when: string }) {
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

/** A run that is still going on, possibly started from another page, with its progress and a stop button. */
function RunEntry({ run, when }: { run: RunUnderWay; when: string }) {
  const { runId, title } = run
  const stop = useStopRun()
  const live = useRunProgress(runId)
  const progress = live && live.done > run.done ? live : run
  return (
    <HistoryEntry
      title={title}
      detail={`${progressInWords(progress)} · ${when}`}
      isUndone={false}
      isPending={false}
      action={<StopButton size="sm" isStopping={stop.isPending || stop.isSuccess} onStop={() => stop.mutate(runId)} />}
    />
  )
}
