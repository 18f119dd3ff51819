import { useState } from 'react'
import type { Media } from '../../contract.ts'

/** The previous and next items, and all items of the filmstrip. */
export type Neighbors = { previousId?: number; nextId?: number; strip: readonly Media[] }

/**
 * The neighbors in the list behind the viewer. An item that leaves the list while it is shown keeps the neighbors it had.
 * Items removed in the viewer are left out immediately.
 */
export function useNeighbors(mediaId: number, series: readonly Media[], isRemoving: boolean) {
  const [known, setKnown] = useState(series)
  const [removedIds, setRemovedIds] = useState<readonly number[]>([])
  if (series !== known && series.some(({ id }) => id === mediaId)) {
    setKnown(series)
    // A list that was fetched after all removals is up to date.
    if (!isRemoving) setRemovedIds([])
  }
  const strip = known.filter(({ id }) => id === mediaId || !removedIds.includes(id))
  return {
    neighbors: neighborsOf(mediaId, strip),
    leaveOut: (id: number) => setRemovedIds((before) => [...before, id]),
    bringBack: (id: number) => setRemovedIds((before) => before.filter((each) => each !== id)),
  }
}

function neighborsOf(mediaId: number, strip: readonly Media[]): Neighbors {
  const index = strip.findIndex(({ id }) => id === mediaId)
  if (index === -1) return { strip: [] }
  return { previousId: strip[index - 1]?.id, nextId: strip[index + 1]?.id, strip }
}
