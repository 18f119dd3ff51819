import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { keepOrder } from '#features/collections/client/keep-order.ts'
import { collectionQueries } from '#features/collections/client/queries.ts'
import { refreshMedia, useMoveToTrash } from '#features/media/client/mutations.ts'
import { type ToastOptions, toast, toastError } from '#ui/notices/toast.ts'
import { leftOutNotice, sortOutFiles } from './incoming-files.ts'
import { sendUpload } from './send-upload.ts'
import type { UploadItem } from './upload-queue.ts'
import { type HandedFiles, takeFiles, useUploadStore } from './upload-store.ts'
import { destinationText, resultNotice } from './upload-text.ts'
import { createUploader, type UploadEnd, type Uploader } from './uploader.ts'

/** The grid is refreshed during a long upload, but not for every file. */
const refreshEveryMs = 1500

/** The uploader of this page and its state. It is cleared when the user signs out. */
export function useUploader({ onComplete }: { onComplete: () => void }) {
  const [uploader] = useState(() => createUploader({ send: sendUpload }))
  const state = useSyncExternalStore(uploader.subscribe, uploader.state)
  useHandedFiles(uploader)
  useResults(uploader, onComplete)
  useLeaveWarning(state.isUploading)
  useEffect(() => () => uploader.clear(), [uploader])
  return { uploader, ...state }
}

/** Adds the files that can be uploaded and shows a notice about the others. */
export function addToUploader(uploader: Uploader, { files, unreadable, collectionId }: HandedFiles) {
  const { accepted, rejected } = sortOutFiles(files)
  const notice = leftOutNotice(rejected.length, unreadable)
  if (notice) toastError(notice.title, notice.description)
  uploader.add(accepted, collectionId)
}

function useHandedFiles(uploader: Uploader) {
  const queryClient = useQueryClient()
  const { files, unreadable } = useUploadStore()
  useEffect(() => {
    if (files.length + unreadable === 0) return
    const { collectionId, ...handed } = takeFiles()
    // Files cannot be put into a smart collection; they are there if they match its search.
    const known = queryClient.getQueryData(collectionQueries.summaries().queryKey)
    const isSmart = known?.some(({ id, query }) => id === collectionId && query !== null)
    addToUploader(uploader, { ...handed, collectionId: isSmart ? undefined : collectionId })
  }, [files, unreadable, uploader, queryClient])
}

function useResults(uploader: Uploader, onComplete: () => void) {
  const queryClient = useQueryClient()
  const refresh = useEffectEvent(() => refreshMedia(queryClient))
  const destination = useEffectEvent((end: UploadEnd) =>
    destinationText(end, queryClient.getQueryData(collectionQueries.summaries().queryKey) ?? []),
  )
  const complete = useEffectEvent(onComplete)
  const moveToTrash = useMoveToTrash()
  /** Not offered for files added to a collection: the user wants them there even if they are duplicates. */
  const trashCopies = useEffectEvent(({ result: { copyIds }, items }: UploadEnd): ToastOptions['action'] => {
    if (copyIds.length === 0 || items.some(({ collectionId }) => collectionId !== undefined)) return
    const label = `Move ${copyIds.length === 1 ? 'copy' : 'copies'} to Trash`
    return { label, onSelect: () => moveToTrash.mutate([...copyIds]) }
  })
  useEffect(() => {
    let refreshedAt = 0
    const stopArrivals = uploader.onArrived(() => {
      if (performance.now() - refreshedAt < refreshEveryMs) return
      refreshedAt = performance.now()
      void refresh()
    })
    const stopResults = uploader.onFinished((end) => {
      const notice = resultNotice(end.result, destination(end))
      if (notice) toast({ ...notice, action: notice.tone === 'danger' ? undefined : trashCopies(end) })
      void keepChosenOrder(end.items).then(refresh)
      if (uploader.state().queue.items.length === 0) complete()
    })
    return () => {
      stopArrivals()
      stopResults()
    }
  }, [uploader])
}

/** Asks the user before the page is left during an upload. */
function useLeaveWarning(isUploading: boolean) {
  useEffect(() => {
    if (!isUploading) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isUploading])
}

/** Sorts the new files of each collection in the order in which the user chose them. */
async function keepChosenOrder(items: readonly UploadItem[]) {
  const members = Map.groupBy(
    items.filter(({ mediaId, collectionId }) => mediaId !== undefined && collectionId !== undefined),
    ({ collectionId }) => collectionId!,
  )
  for (const [collectionId, added] of members)
    await keepOrder(
      collectionId,
      added.map(({ mediaId }) => mediaId!),
    )
}
