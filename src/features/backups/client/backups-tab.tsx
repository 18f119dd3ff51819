import { useIsMutating, useQuery } from '@tanstack/react-query'
import Archive from 'lucide-react/icons/archive'
import { type ReactNode, useId, useState } from 'react'
import { failureReason } from '#platform/client/call.ts'
import { isServerError } from '#platform/client/retry.ts'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { Label } from '#ui/forms/field.tsx'
import { Select } from '#ui/forms/select.tsx'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { type Backup, type BackupFrequency, frequencies as knownFrequencies } from '../contract.ts'
import { BackupTable } from './backup-table.tsx'
import { backupTime } from './backup-times.ts'
import { CompleteBackupCard } from './complete-backup-card.tsx'
import { useCreateBackup, useDeleteBackup, useSetFrequency, useUploadAll } from './mutations.ts'
import { backupQueries } from './queries.ts'
import { RestoreDialog } from './restore-dialog.tsx'
import { RunningRestore } from './running-restore.tsx'
import { UnreadableBackups } from './unreadable-backups.tsx'
import { NoAnswer } from './use-sending.ts'

export function BackupsTab() {
  const create = useCreateBackup()
  const upload = useUploadAll()
  const isUnheard = create.isError && !isServerError(create.error)
  const list = useBackupList(create.data?.backup === null || isUnheard ? create.variables : undefined)
  const knownIds = list.data?.backups.map(({ id }) => id) ?? []
  const [restored, setRestored] = useState<Backup>()
  const [deleted, setDeleted] = useState<Backup>()
  // A restore started on this page, from the list or from a file, has its own dialog.
  const isChanging = useIsMutating() > 0
  const createButton = (
    <Button icon={<Archive />} isPending={create.isPending} onClick={() => create.mutate(knownIds)}>
      Create Backup
    </Button>
  )
  return (
    <div className="flex flex-col gap-4">
      {!restored && !isChanging && <RunningRestore isAwaited={upload.error instanceof NoAnswer} onEnd={upload.reset} />}
      <Card
        title="Backups"
        description="Each backup includes every row and file. Unchanged files are shared between backups. Automatic backups run at 3:00 UTC (every 12 hours: also at 15:00; weekly: on Sundays)."
        isFlush
      >
        <div className="flex flex-wrap justify-between gap-2 px-4 pb-3">
          {list.data?.backups.length !== 0 && createButton}
          <FrequencySelect />
        </div>
        <UnreadableBackups backups={list.data?.unreadable ?? []} />
        <BackupList list={list} createButton={createButton} onRestore={setRestored} onDelete={setDeleted} />
      </Card>
      <CompleteBackupCard upload={upload} />
      {restored && <RestoreDialog backup={restored} onClose={() => setRestored(undefined)} />}
      {deleted && <DeleteBackupDialog backup={deleted} onClose={() => setDeleted(undefined)} />}
    </div>
  )
}

const pollEveryMs = 3000

/** Polls the list for a backup whose request timed out, until it has an id that is not among these. */
function useBackupList(whileOnlyIds: readonly string[] | undefined) {
  return useQuery({
    ...backupQueries.list(),
    refetchInterval: ({ state: { data } }) =>
      whileOnlyIds && data?.backups.every(({ id }) => whileOnlyIds.includes(id)) ? pollEveryMs : false,
  })
}

type BackupListProps = {
  list: ReturnType<typeof useBackupList>
  /** Shown in the empty state of the list. */
  createButton: ReactNode
  onRestore: (backup: Backup) => void
  onDelete: (backup: Backup) => void
}

function BackupList({ list: { data, error, refetch }, createButton, onRestore, onDelete }: BackupListProps) {
  if (!data) {
    return (
      <div className="flex flex-col gap-2 p-4 pt-0">
        {error ? (
          <LoadFailure what="backups" why={failureReason(error)} onRetry={() => void refetch()} />
        ) : (
          <>
            <Skeleton className="h-10" />
            <Skeleton className="h-10" />
          </>
        )}
      </div>
    )
  }
  if (data.backups.length === 0) {
    return (
      <EmptyState
        drawing="tray"
        title="No backups found. The first automatic backup will be created soon."
        action={createButton}
        className="border-line border-t"
      />
    )
  }
  return <BackupTable backups={data.backups} onRestore={onRestore} onDelete={onDelete} />
}

function FrequencySelect() {
  const id = useId()
  const { data, error, refetch } = useQuery(backupQueries.frequency())
  const { data: offered } = useQuery(backupQueries.frequencies())
  const setFrequency = useSetFrequency()
  if (error && !data)
    return <LoadFailure what="backup frequency" why={failureReason(error)} onRetry={() => void refetch()} />
  return (
    <div className="flex items-center gap-2">
      <Label htmlFor={id}>Automatic backups</Label>
      <Select
        id={id}
        className="w-40"
        options={offered?.frequencies ?? knownFrequencies}
        value={setFrequency.isPending ? setFrequency.variables : (data?.frequency ?? '')}
        disabled={!data}
        onValueChange={(value) => setFrequency.mutate(value as BackupFrequency)}
      />
    </div>
  )
}

function DeleteBackupDialog({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const remove = useDeleteBackup()
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Delete this backup?"
      description={`The backup from ${backupTime(backup.timestamp)} is permanently deleted. The library is not affected.`}
      confirmLabel="Delete"
      isPending={remove.isPending}
      onConfirm={() => remove.mutate(backup.id, { onSettled: onClose })}
    />
  )
}
