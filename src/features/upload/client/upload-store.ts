import { useSyncExternalStore } from 'react'

/** Whether the upload dialog is open, and the files it was opened with (dropped or pasted somewhere in the page). */
type UploadState = { isOpen: boolean; files: readonly File[] }

const closed: UploadState = { isOpen: false, files: [] }
let state = closed
const listeners = new Set<() => void>()

export function openUpload(files: readonly File[] = []) {
  change({ isOpen: true, files })
}

export function closeUpload() {
  change(closed)
}

export function useUploadStore(): UploadState {
  return useSyncExternalStore(subscribe, () => state)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function change(next: UploadState) {
  state = next
  for (const listener of listeners) listener()
}
