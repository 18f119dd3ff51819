import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Media } from '../../contract.ts'
import { defaultView, type LibraryView } from '../../library-view.ts'
import { mediaQueries } from '../queries.ts'

/** This close to the end of a page, the next page is fetched. */
const nearItems = 5

/**
 * The items of the current list page, and of the neighboring pages once the user gets close to them. `view` is set if the
 * list has pages.
 */
export function useSeries(mediaId: number, page: readonly Media[], view: LibraryView | undefined) {
  const index = page.findIndex(({ id }) => id === mediaId)
  const list = view ?? defaultView
  // The list page fetches it; this only reads its counts from the cache.
  const { pagination, firstPosition = 1 } = useQuery({ ...mediaQueries.page(list), enabled: false }).data ?? {}
  const lastPage = pagination?.totalPages ?? 1
  const isKnown = view !== undefined && index !== -1
  const isNearEnd = index >= page.length - nearItems && list.page < lastPage
  const before = useOtherPage(list, list.page - 1, { isKnown, isNear: index < nearItems && list.page > 1 })
  const after = useOtherPage(list, list.page + 1, { isKnown, isNear: isNearEnd })
  const series = useMemo(
    // When items are added or removed, an item may temporarily be on two pages.
    () =>
      isKnown
        ? [...new Map([...before.media, ...page, ...after.media].map((media) => [media.id, media])).values()]
        : page,
    [isKnown, before.media, page, after.media],
  )
  const pageOf = (id: number) => {
    if (!view) return
    const isOn = (items: readonly Media[]) => items.some((media) => media.id === id)
    if (isOn(page)) return list.page
    return isOn(after.media) ? list.page + 1 : isOn(before.media) ? list.page - 1 : list.page
  }
  const position = isKnown ? firstPosition + index : index + 1
  // Similar results are on the page but not included in the count.
  const total = Math.max(isKnown ? (pagination?.totalCount ?? 0) : 0, page.length)
  return {
    series,
    pageOf,
    isMoreComing: after.isComing,
    positionInList: index === -1 ? undefined : `${position.toLocaleString('en')} of ${total.toLocaleString('en')}`,
  }
}

const nothing: readonly Media[] = []

function useOtherPage(list: LibraryView, page: number, { isKnown, isNear }: { isKnown: boolean; isNear: boolean }) {
  const { data, isLoading } = useQuery({
    ...mediaQueries.page({ ...list, page }),
    // Fetched pages stay visible from anywhere on this page, so they are kept up to date.
    enabled: ({ state }) => isKnown && (isNear || state.data !== undefined),
    placeholderData: undefined,
  })
  return { media: data?.media ?? nothing, isComing: isLoading }
}
