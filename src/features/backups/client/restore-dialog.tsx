import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { failureReason } from '#platform/client/call.ts'
import { bytesInWords } from '#shared/bytes.ts'
import { Button } from '#ui/button.tsx'
import { classNames } from '#ui/class-names.ts'
import { Checkbox } from '#ui/forms/checkbox.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import { Progress } from '#ui/progress.tsx'
import type { Backup } from '../contract.ts'
import { backupTime } from './backup-times.ts'
import { backupQueries } from './queries.ts'
import { useRestore } from './use-restore.ts'

/** Confirms a restore with a preview of its changes, then shows its progress. */
export function RestoreDialog({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const queryClient = useQueryClient()
  const [makesSafetyBackup, setMakesSafetyBackup] = useState(true)
  const [hasFailed, setHasFailed] = useState(false)
  const [acceptsLost, setAcceptsLost] = useState(false)
  const { state, start } = useRestore(() => {
    setHasFailed(true)
    void queryClient.invalidateQueries({ queryKey: backupQueries.all() })
  })
  const isBusy = state.phase !== 'idle'
  return (
    <Dialog
      onClose={onClose}
      isLocked={isBusy}
      title={isBusy ? 'Restoring the backup' : 'Restore this backup?'}
      description={`Everything in the library is replaced with the backup from ${backupTime(backup.timestamp)} (${bytesInWords(backup.size)}). Everyone else is signed out.`}
      footer={
        state.phase !== 'restoring' && (
          <>
            <Button disabled={isBusy} onClick={onClose}>
              Cancel
            </Button>
            <Button
              variant="danger"
              isPending={isBusy}
              onClick={() =>
                void start(backup.id, { skipSafetyBackup: !makesSafetyBackup, acceptLostFiles: acceptsLost })
              }
            >
              Restore
            </Button>
          </>
        )
      }
    >
      {state.phase === 'restoring' ? (
        <Progress
          label={state.progress.message}
          value={state.progress.progress}
          detail={`${Math.round(state.progress.progress)}%`}
        />
      ) : (
        <div className="flex flex-col gap-4">
          <WhatChanges id={backup.id} />
          <Checkbox
            label="Create a safety backup first"
            hint="Lets you undo this restore."
            checked={makesSafetyBackup}
            disabled={isBusy}
            onCheckedChange={setMakesSafetyBackup}
          />
          {hasFailed && (
            <Checkbox
              label="Continue without damaged or missing files"
              hint="Their items are restored and marked as missing."
              checked={acceptsLost}
              disabled={isBusy}
              onCheckedChange={setAcceptsLost}
            />
          )}
        </div>
      )}
    </Dialog>
  )
}

const kinds = ['adds', 'replaces', 'removes'] as const

function WhatChanges({ id }: { id: string }) {
  const { data, error } = useQuery(backupQueries.preview(id))
  if (!data && error)
    return (
      <p className="text-muted text-sm">The backup could not be compared with the library. {failureReason(error)}</p>
    )
  if (!data) return <p className="text-muted text-sm">Comparing the backup with the library…</p>
  const rows = [
    ['Items', data.media],
    ['Collections', data.collections],
    ['Users', data.users],
  ] as const
  if (rows.every(([, { adds, replaces, removes }]) => adds + replaces + removes === 0))
    return <p className="text-muted text-sm">No items, collections or users would change.</p>
  return (
    <table className="w-full text-sm">
      <caption className="sr-only">What the restore changes</caption>
      <thead>
        <tr className="text-left text-muted">
          <th scope="col" className="pb-1 font-medium">
            This restore
          </th>
          {kinds.map((word) => (
            <th key={word} scope="col" className="pb-1 pl-4 text-right font-medium">
              {word}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, counts]) => (
          <tr key={name}>
            <th scope="row" className="border-line border-t py-1.5 text-left font-normal">
              {name}
            </th>
            {kinds.map((kind) => (
              <td
                key={kind}
                className={classNames(
                  'figures border-line border-t py-1.5 pl-4 text-right',
                  counts[kind] === 0 ? 'text-faint' : kind === 'removes' && 'font-medium text-danger',
                )}
              >
                {counts[kind].toLocaleString('en')}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
