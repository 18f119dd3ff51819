import { useState } from 'react'
import type { Media } from '../../contract.ts'

/** What lies before and after an item, and all that can be seen in a strip. */
export type Neighbours = { previousId?: number; nextId?: number; strip: readonly Media[] }

/**
 * The neighbours in the list behind the viewer. An item that leaves it while somebody looks at it (others arrive, its
 * heart is taken away) keeps the ones it had. What the viewer itself takes away is left out at once.
 */
export function useNeighbours(mediaId: number, series: readonly Media[], isRemoving: boolean) {
  const [known, setKnown] = useState(series)
  const [removedIds, setRemovedIds] = useState<readonly number[]>([])
  if (series !== known && series.some(({ id }) => id === mediaId)) {
    setKnown(series)
    // A list that came after it all says by itself what is gone, and what was brought back.
    if (!isRemoving) setRemovedIds([])
  }
  const strip = known.filter(({ id }) => id === mediaId || !removedIds.includes(id))
  return {
    neighbours: neighboursOf(mediaId, strip),
    leaveOut: (id: number) => setRemovedIds((before) => [...before, id]),
    bringBack: (id: number) => setRemovedIds((before) => before.filter((each) => each !== id)),
  }
}

function neighboursOf(mediaId: number, strip: readonly Media[]): Neighbours {
  const index = strip.findIndex(({ id }) => id === mediaId)
  if (index === -1) return { strip: [] }
  return { previousId: strip[index - 1]?.id, nextId: strip[index + 1]?.id, strip }
}
