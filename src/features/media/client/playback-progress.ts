import { useSyncExternalStore } from 'react'
import { createListeners } from '#ui/listeners.ts'

/** How far the playable rendition of a video has come, 0 to 1, by item. Lives only as long as the page. */
const fractions = new Map<number, number>()
const listeners = createListeners()

export function setPlaybackProgress(mediaId: number, fraction: number) {
  if (fraction >= 1) fractions.delete(mediaId)
  else fractions.set(mediaId, fraction)
  listeners.notify()
}

/** The work begins anew, or will not go on. */
export function forgetPlaybackProgress(mediaId: number) {
  setPlaybackProgress(mediaId, 1)
}

/** Undefined while nothing is known to be under way. */
export function usePlaybackProgress(mediaId: number): number | undefined {
  return useSyncExternalStore(listeners.subscribe, () => fractions.get(mediaId))
}
