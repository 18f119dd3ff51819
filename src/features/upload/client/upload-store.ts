import { useSyncExternalStore } from 'react'
import { presentView } from '#features/media/client/use-library-view.ts'
import { createListeners } from '#ui/listeners.ts'

/**
 * Whether the upload dialog is open, and files dropped or pasted that it has not taken yet. `unreadable` counts dropped
 * files that could not be read. Files added while a collection is open go into that collection.
 */
type UploadState = HandedFiles & { isOpen: boolean }
export type HandedFiles = { files: readonly File[]; unreadable: number; collectionId?: number }

const nothing: HandedFiles = { files: [], unreadable: 0 }
let state: UploadState = { isOpen: false, ...nothing }
const listeners = createListeners()

export function openUpload(files: readonly File[] = [], unreadable = 0) {
  const { tab, collectionId } = presentView()
  change({
    isOpen: true,
    collectionId: tab === 'media' ? collectionId : undefined,
    files: [...state.files, ...files],
    unreadable: state.unreadable + unreadable,
  })
}

export function closeUpload() {
  change({ isOpen: false, ...nothing })
}

/** Returns the waiting files and removes them from the store. */
export function takeFiles(): HandedFiles {
  const { files, unreadable, collectionId } = state
  if (files.length + unreadable > 0) change({ ...state, ...nothing })
  return { files, unreadable, collectionId }
}

export function isUploadOpen(): boolean {
  return state.isOpen
}

export function useUploadStore(): UploadState {
  return useSyncExternalStore(listeners.subscribe, () => state)
}

function change(next: UploadState) {
  state = next
  listeners.notify()
}
