import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { collectionQueries } from '#features/collections/client/queries.ts'
import { refreshMedia, useMoveToTrash } from '#features/media/client/mutations.ts'
import { type ToastOptions, toast, toastError } from '#ui/notices/toast.ts'
import { leftOutNotice, sortOutFiles } from './accepted-files.ts'
import { sendUpload } from './send-upload.ts'
import { keepChosenOrder, placeWords } from './upload-into.ts'
import { type HandedFiles, takeFiles, useUploadStore } from './upload-store.ts'
import { resultNotice } from './upload-words.ts'
import { createUploader, type UploadEnd, type Uploader } from './uploader.ts'

/** The grid behind fills while a long upload goes on, but not once for every file. */
const refreshEveryMs = 1500

/** The uploader of this page and where it stands. It stops when the person signs out. */
export function useUploader({ onComplete }: { onComplete: () => void }) {
  const [uploader] = useState(() => createUploader({ send: sendUpload }))
  const state = useSyncExternalStore(uploader.subscribe, uploader.state)
  useHandedFiles(uploader)
  useResults(uploader, onComplete)
  useLeaveWarning(state.isUploading)
  useEffect(() => () => uploader.clear(), [uploader])
  return { uploader, ...state }
}

/** Adds what can be uploaded and says when something cannot. */
export function addToUploader(uploader: Uploader, { files, unreadable, collectionId }: HandedFiles) {
  const { accepted, rejected } = sortOutFiles(files)
  const notice = leftOutNotice(rejected.length, unreadable)
  if (notice) toastError(notice.title, notice.description)
  uploader.add(accepted, collectionId)
}

function useHandedFiles(uploader: Uploader) {
  const { files, unreadable } = useUploadStore()
  useEffect(() => {
    if (files.length + unreadable === 0) return
    addToUploader(uploader, takeFiles())
  }, [files, unreadable, uploader])
}

function useResults(uploader: Uploader, onComplete: () => void) {
  const queryClient = useQueryClient()
  const refresh = useEffectEvent(() => refreshMedia(queryClient))
  const whereTo = useEffectEvent((end: UploadEnd) =>
    placeWords(end, queryClient.getQueryData(collectionQueries.summaries().queryKey) ?? []),
  )
  const complete = useEffectEvent(onComplete)
  const moveToTrash = useMoveToTrash()
  /** Not what was given to a collection: there it is wanted, whatever else has its bytes. */
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
      const notice = resultNotice(end.result, whereTo(end))
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

/** The browser asks before it leaves and breaks the upload off. */
function useLeaveWarning(isUploading: boolean) {
  useEffect(() => {
    if (!isUploading) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isUploading])
}
