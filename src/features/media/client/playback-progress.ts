import { useSyncExternalStore } from 'react'
import { createListeners } from '#ui/listeners.ts'

/** The progress of each video's playable rendition, from 0 to 1. Lost when the page is reloaded. */
const fractions = new Map<number, number>()
const listeners = createListeners()

export function setPlaybackProgress(mediaId: number, fraction: number) {
  if (fraction >= 1) fractions.delete(mediaId)
  else fractions.set(mediaId, fraction)
  listeners.notify()
}

/** Called when the rendering restarts or fails. */
export function forgetPlaybackProgress(mediaId: number) {
  setPlaybackProgress(mediaId, 1)
}

/** Undefined if no progress is known. */
export function usePlaybackProgress(mediaId: number): number | undefined {
  return useSyncExternalStore(listeners.subscribe, () => fractions.get(mediaId))
}
