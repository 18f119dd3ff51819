import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { CutOutFormat } from '#features/conversion/contract.ts'
import type { ConversionFormat } from '#features/conversion/formats.ts'
import { refreshMedia } from '#features/media/client/mutations.ts'
import { doneBefore, orGone } from '#features/media/client/queries.ts'
import { undoScope } from '#features/media/client/undo-scope.ts'
import { call, causeOf, connectionProblem, fetchResponse, messageOf } from '#platform/client/call.ts'
import { retryUntilAnswered } from '#platform/client/retry.ts'
import { sendFile } from '#platform/client/send-file.ts'
import { formatBytes } from '#shared/bytes.ts'
import { countOf } from '#shared/count.ts'
import { toast, toastError, toastSuccess, toastWhile } from '#ui/notices/toast.ts'
import { saveFile } from '#ui/save-file.ts'
import type { BulkOutcome, bulkApi, TableDifferences } from '../contract.ts'

type Selected = { mediaIds: number[]; runId: string }

export const historyKey = ['history'] as const

export function useUndo() {
  const queryClient = useQueryClient()
  return useMutation({
    scope: undoScope,
    mutationFn: (id: number) =>
      toastWhile('Undoing', call<typeof bulkApi.undo>('POST /api/history/:id/undo', { params: { id } })),
    onSuccess: ({ message, undone }) => {
      if (undone > 0) toastSuccess('Undone', message)
      else toast({ title: 'Nothing to undo', description: message })
      return refreshMedia(queryClient)
    },
    onError: (error) =>
      toastError('Undo failed', messageOf(error, "Couldn't undo the change."), connectionProblem(error)),
  })
}

/** Shows a toast after a run: what was done, what failed, and an undo button if the run can be undone. */
function useShowOutcome() {
  const queryClient = useQueryClient()
  const undo = useUndo()
  return (title: string, outcome: BulkOutcome, failure?: { title: string; description?: string }) => {
    const { message, changeId } = outcome
    const why = describeFailures(outcome).join(' ')
    if (failure && hasOnlyFailures(outcome))
      toastError(failure.title, failure.description ?? why, failure.description && why)
    else
      toastSuccess(
        title,
        [message, ...describeFailures(outcome)].join(' '),
        changeId === undefined ? undefined : { label: 'Undo', onSelect: () => undo.mutate(changeId) },
      )
    return refreshMedia(queryClient)
  }
}

/** The request succeeded, but every item failed. */
const hasOnlyFailures = ({ summary }: BulkOutcome) => summary.successful === 0 && summary.failed > 0

/** A sentence that counts the failed items and gives the reasons, or an empty list if nothing failed. */
export function describeFailures({ summary, errors }: BulkOutcome): string[] {
  return summary.failed > 0 ? [`${countOf(summary.failed, 'item')} failed: ${reasonsOf(errors)}.`] : []
}

/** The first two distinct reasons. */
function reasonsOf(errors: BulkOutcome['errors']) {
  const reasons = [...new Set(errors.map(({ message }) => message.replace(/\.$/, '')))]
  return reasons.slice(0, 2).join('; ') + (reasons.length > 2 ? ' …' : '')
}

type ReviewedName = { id: number; from: string; to: string }
type Renaming = { baseName?: string; prefix?: string; names?: ReviewedName[]; renameAddresses?: boolean }

/** Returns the web names that would be given without changing anything. */
export function usePreviewWebNames() {
  return useMutation({
    mutationFn: (body: { mediaIds: number[]; pattern: string; collectionId?: number }) =>
      call<typeof bulkApi.rename>('POST /api/media/bulk-rename', { body: { ...body, preview: true } }),
    onError: (error) => toastError('Rename failed', 'Failed to rename images.', causeOf(error)),
  })
}

export function useBulkRename() {
  const tell = useShowOutcome()
  return useMutation({
    mutationFn: (body: Selected & Renaming) => call<typeof bulkApi.rename>('POST /api/media/bulk-rename', { body }),
    onSuccess: (outcome) => tell('Images renamed', outcome),
    onError: (error) => toastError('Rename failed', 'Failed to rename images.', causeOf(error)),
  })
}

export function useBulkAddTags() {
  const tell = useShowOutcome()
  return useMutation({
    mutationFn: (body: Selected & { tags: string[] }) =>
      call<typeof bulkApi.addTags>('POST /api/media/bulk-add-tags', { body }),
    onSuccess: (outcome) => tell('Tags added', outcome, { title: 'Tag Addition Failed' }),
    onError: (error) =>
      toastError('Tag Addition Failed', messageOf(error, "Couldn't add the tags."), connectionProblem(error)),
  })
}

export function useBulkRemoveTags() {
  const tell = useShowOutcome()
  return useMutation({
    mutationFn: (body: Selected & { tags: string[] }) =>
      call<typeof bulkApi.removeTags>('POST /api/media/bulk-remove-tags', { body }),
    onSuccess: (outcome) => tell('Tags removed', outcome),
    onError: (error) =>
      toastError('Tags not removed', messageOf(error, "Couldn't remove the tags."), connectionProblem(error)),
  })
}

export function useBulkDescribe() {
  const tell = useShowOutcome()
  return useMutation({
    mutationFn: (body: Selected & { description: string }) =>
      call<typeof bulkApi.describe>('POST /api/media/bulk-description', { body }),
    onSuccess: (outcome) => tell('Descriptions updated', outcome),
    onError: (error) =>
      toastError(
        'Description update failed',
        messageOf(error, "Couldn't update the descriptions."),
        connectionProblem(error),
      ),
  })
}

type Conversion = Selected & {
  quality: number
  deleteOriginal: boolean
  format: ConversionFormat
  longestSide?: number
}

export function useBulkConvert() {
  const tell = useShowOutcome()
  return useMutation({
    mutationFn: (body: Conversion) =>
      retryUntilAnswered(() => call<typeof bulkApi.convertToWebp>('POST /api/media/bulk-convert-webp', { body })),
    onSuccess: (outcome) =>
      tell(outcome.left.length > 0 ? 'Conversion stopped' : 'Conversion complete', outcome, {
        title: 'Conversion Error',
      }),
    onError: (error) =>
      toastError('Conversion Error', messageOf(error, "Couldn't convert the images."), connectionProblem(error)),
  })
}

export function useBulkRemoveBackground() {
  const tell = useShowOutcome()
  return useMutation({
    mutationFn: (body: Selected & { format: CutOutFormat }) =>
      retryUntilAnswered(() =>
        call<typeof bulkApi.removeBackground>('POST /api/media/bulk-remove-background', { body }),
      ),
    onSuccess: (outcome) => tell(outcome.left.length > 0 ? 'Stopped' : 'Backgrounds removed', outcome),
    onError: (error) =>
      toastError('Error', messageOf(error, "Couldn't remove the backgrounds."), connectionProblem(error)),
  })
}

/** The toast can undo it, as History can. */
export function useMergeItems() {
  const queryClient = useQueryClient()
  const undo = useUndo()
  return useMutation({
    mutationFn: (body: { keptId: number; mediaIds: number[] }) =>
      toastWhile('Merging', call<typeof bulkApi.merge>('POST /api/media/merge', { body })),
    onSuccess: ({ message, changeId }) => {
      toastSuccess('Merged', message, { label: 'Undo', onSelect: () => undo.mutate(changeId) })
      return refreshMedia(queryClient)
    },
    onError: (error) =>
      toastError('Merge failed', messageOf(error, "Couldn't merge the items."), connectionProblem(error)),
  })
}

/** The items stay in the library. */
export function useRemoveManyFromCollection() {
  const tell = useShowOutcome()
  return useMutation({
    mutationFn: (body: { mediaIds: number[]; collectionId: number }) =>
      call<typeof bulkApi.takeOut>('POST /api/media/bulk-remove-from-collection', { body }),
    onSuccess: (outcome) => tell('Removed from collection', outcome),
    onError: (error) => toastError('Error', messageOf(error, 'Failed to update collection.'), connectionProblem(error)),
  })
}

/** The item in progress is finished first. */
export function useStopRun() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (runId: string) =>
      call<typeof bulkApi.cancel>('POST /api/bulk-runs/:runId/cancel', { params: { runId } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: historyKey }),
    onError: (error) => toastError("Couldn't stop", messageOf(error, 'Please try again.'), connectionProblem(error)),
  })
}

const copyFailure = { title: 'Copy failed', description: 'Failed to copy selected images.' }

export function useBulkCopy() {
  const tell = useShowOutcome()
  return useMutation({
    mutationFn: (body: Selected) => call<typeof bulkApi.copy>('POST /api/media/bulk-copy', { body }),
    onSuccess: (outcome) => tell('Images copied', outcome, copyFailure),
    onError: (error) => toastError(copyFailure.title, copyFailure.description, causeOf(error)),
  })
}

const allGone: BulkOutcome = { message: doneBefore, summary: { successful: 0, failed: 0 }, errors: [] }

export function useBulkDelete() {
  const tell = useShowOutcome()
  return useMutation({
    mutationFn: (body: Selected & { onlyTrashed: boolean }) =>
      orGone(call<typeof bulkApi.remove>('POST /api/media/bulk-delete', { body }), allGone),
    onSuccess: (outcome) => tell('Images deleted', outcome, { title: 'Delete failed' }),
    onError: (error) =>
      toastError(
        'Delete failed',
        `Failed to delete selected images: ${messageOf(error, 'Unknown error')}`,
        connectionProblem(error),
      ),
  })
}

export function useBulkPublic() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (body: Selected) => call<typeof bulkApi.makePublic>('POST /api/media/bulk-public', { body }),
    onSuccess: () => refreshMedia(queryClient),
    onError: (error) =>
      toastError('Failed to create URL', messageOf(error, "Couldn't create public URLs."), connectionProblem(error)),
  })
}

/** Downloads the originals as one ZIP file. The browser fetches it directly, so it shows in the browser's downloads. */
export function useDownloadMany() {
  return useMutation({
    mutationFn: (mediaIds: number[]) =>
      call<typeof bulkApi.prepareDownload>('POST /api/media/download', { body: { mediaIds } }),
    onMutate: (mediaIds) => toast({ title: 'Preparing download', description: `${countOf(mediaIds.length, 'file')}.` }),
    onSuccess: ({ downloadUrl, items, bytes }) => {
      saveFile(downloadUrl)
      toastSuccess('Download started', `${countOf(items, 'file')}, ${formatBytes(bytes)} in one ZIP file.`)
    },
    onError: (error) =>
      toastError('Download failed', messageOf(error, "Couldn't create the ZIP."), connectionProblem(error)),
  })
}

/** The response is a file, which is passed to the browser as a download. A stopped export shows no toast. */
export function useExport() {
  return useMutation({
    mutationFn: async ({ signal, ...body }: { mediaIds: number[]; format: string; signal: AbortSignal }) => {
      const response = await fetchResponse<typeof bulkApi.export>('POST /api/media/export', { body }, { signal })
      download(await response.blob(), `albumen-export.${body.format}`)
    },
    onSuccess: () => toastSuccess('Document ready', 'Download started.'),
    onError: (error, { signal }) =>
      signal.aborted ||
      toastError('Export failed', messageOf(error, "Couldn't create the document."), connectionProblem(error)),
  })
}

/** Nothing is changed. */
export function useCompareTable() {
  return useMutation({
    mutationFn: (file: File) => sendFile<typeof bulkApi.importTable>('POST /api/media/import-table', 'file', file),
    onError: (error) =>
      toastError('Import failed', messageOf(error, "Couldn't read the table."), connectionProblem(error)),
  })
}

type ReviewedRow = Pick<TableDifferences['changed'][number], 'id' | 'cells'>

export function useApplyTable() {
  const tell = useShowOutcome()
  return useMutation({
    mutationFn: (body: { rows: ReviewedRow[]; name: string; runId: string }) =>
      call<typeof bulkApi.applyTable>('POST /api/media/apply-table', { body }),
    onSuccess: (outcome) => tell('Table imported', outcome, { title: 'Import failed' }),
    onError: (error) =>
      toastError('Import failed', messageOf(error, "Couldn't apply the table."), connectionProblem(error)),
  })
}

function download(blob: Blob, name: string) {
  const address = URL.createObjectURL(blob)
  saveFile(address, name)
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
