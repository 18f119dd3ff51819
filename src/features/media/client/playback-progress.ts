import { useSyncExternalStore } from 'react'

/** How far the playable rendition of a video has come, 0 to 1, by item. Lives only as long as the page. */
const fractions = new Map<number, number>()
const listeners = new Set<() => void>()

export function setPlaybackProgress(mediaId: number, fraction: number) {
  if (fraction >= 1) fractions.delete(mediaId)
  else fractions.set(mediaId, fraction)
  for (const listener of listeners) listener()
}

/** The work begins anew, or will not go on. */
export function forgetPlaybackProgress(mediaId: number) {
  setPlaybackProgress(mediaId, 1)
}

/** Undefined while nothing is known to be under way. */
export function usePlaybackProgress(mediaId: number): number | undefined {
  return useSyncExternalStore(subscribe, () => fractions.get(mediaId))
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
