import { useSyncExternalStore } from 'react'

/** Whether the upload dialog is open, and files handed to it (dropped or pasted somewhere) that it has not taken yet. */
type UploadState = { isOpen: boolean; files: readonly File[] }

let state: UploadState = { isOpen: false, files: [] }
const listeners = new Set<() => void>()

export function openUpload(files: readonly File[] = []) {
  change({ isOpen: true, files: [...state.files, ...files] })
}

export function closeUpload() {
  change({ isOpen: false, files: [] })
}

/** Hands the waiting files over, once. */
export function takeFiles(): readonly File[] {
  const { files } = state
  if (files.length > 0) change({ ...state, files: [] })
  return files
}

export function isUploadOpen(): boolean {
  return state.isOpen
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
