import { useEffect, useEffectEvent, useRef } from 'react'
import type { Selection } from '#features/media/client/selection.ts'
import type { Media } from '#features/media/contract.ts'
import type { LibraryView } from '#features/media/library-view.ts'
import { maxItemsAtOnce } from '#features/media/limits.ts'
import { call } from '#platform/client/call.ts'
import type { bulkApi } from '../contract.ts'
import { filterOf } from './filter-of.ts'

type Place = { selection: Selection; view: LibraryView; page: readonly Media[]; totalCount: number }

/**
 * What another tab or device takes out of this place is no longer selected in it: nobody deletes for good what they do not
 * see any more, because it was restored elsewhere. Whether what is not on the page has left or is on another one, the server
 * knows.
 */
export function useLetLeaversGo({ selection, view, page, totalCount }: Place) {
  const shown = useRef<ReadonlySet<number>>(undefined)
  const pageIds = page.map(({ id }) => id)

  const look = useEffectEvent(async (isOver: AbortSignal) => {
    const before = shown.current
    const now = new Set(pageIds)
    shown.current = now
    // Another page has none of them, and what only comes near a search is in no list of matches.
    const isSamePage = before && (now.size === 0 || pageIds.some((id) => before.has(id)))
    const away = [...selection.ids].filter((id) => !now.has(id))
    if (!isSamePage || away.length === 0 || view.search) return
    const { ids } = await call<typeof bulkApi.selectMatching>(
      'POST /api/media/matching-ids',
      { body: filterOf(view) },
      { signal: isOver },
    )
    // Of more than that only the newest are told.
    if (ids.length >= maxItemsAtOnce) return
    const here = new Set(ids)
    selection.letGo(away.filter((id) => !here.has(id)))
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page that is another, or a count, tells that something came or left
  useEffect(() => {
    const ending = new AbortController()
    // Without an answer they stay selected, as they were.
    look(ending.signal).catch(() => undefined)
    return () => ending.abort()
  }, [pageIds.join(), totalCount])
}
