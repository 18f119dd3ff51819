import { useEffect, useEffectEvent, useRef } from 'react'
import type { Selection } from '#features/media/client/selection.ts'
import type { Media } from '#features/media/contract.ts'
import { isOfSimilar, type LibraryView } from '#features/media/library-view.ts'
import { maxItemsAtOnce } from '#features/media/limits.ts'
import { call } from '#platform/client/call.ts'
import type { bulkApi } from '../contract.ts'
import { filterOf } from './filter-of.ts'

type Place = { selection: Selection; view: LibraryView; page: readonly Media[]; totalCount: number }

/**
 * Deselects items that another tab or device has removed from this list, so that an item restored elsewhere is not
 * permanently deleted. Only the server knows whether an item that is not on this page was removed or is on another page.
 */
export function useDeselectRemoved({ selection, view, page, totalCount }: Place) {
  const shown = useRef<ReadonlySet<number>>(undefined)
  const pageIds = page.map(({ id }) => id)

  const look = useEffectEvent(async (isOver: AbortSignal) => {
    const before = shown.current
    const now = new Set(pageIds)
    shown.current = now
    // Another page shares no item with this one, and similar results of a search are not among the matching ids.
    const isSamePage = before && (now.size === 0 || pageIds.some((id) => before.has(id)))
    const away = [...selection.ids].filter((id) => !now.has(id))
    if (!isSamePage || away.length === 0 || view.search || isOfSimilar(view)) return
    const { ids } = await call<typeof bulkApi.selectMatching>(
      'POST /api/media/matching-ids',
      { body: filterOf(view) },
      { signal: isOver },
    )
    // The server returns only the newest ids if there are more, so a missing id says nothing.
    if (ids.length >= maxItemsAtOnce) return
    const here = new Set(ids)
    selection.deselect(away.filter((id) => !here.has(id)))
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed page or count means that items were added or removed
  useEffect(() => {
    const ending = new AbortController()
    // If the request fails, the selection stays as it is.
    look(ending.signal).catch(() => undefined)
    return () => ending.abort()
  }, [pageIds.join(), totalCount])
}
