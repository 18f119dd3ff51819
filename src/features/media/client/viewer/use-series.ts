import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Media } from '../../contract.ts'
import { defaultView, type LibraryView } from '../../library-view.ts'
import { mediaQueries } from '../queries.ts'

/** So near to an end of the page, what lies beyond it is fetched. */
const nearItems = 5

/**
 * The items of the page behind the viewer, and of the pages beside it once somebody has come near. `view` is the list's,
 * when it has pages.
 */
export function useSeries(mediaId: number, page: readonly Media[], view: LibraryView | undefined) {
  const index = page.findIndex(({ id }) => id === mediaId)
  const list = view ?? defaultView
  // The page behind fetches it; this only looks how many there are.
  const { pagination, firstPlace = 1 } = useQuery({ ...mediaQueries.page(list), enabled: false }).data ?? {}
  const lastPage = pagination?.totalPages ?? 1
  const isKnown = view !== undefined && index !== -1
  const isNearEnd = index >= page.length - nearItems && list.page < lastPage
  const before = useOtherPage(list, list.page - 1, { isKnown, isNear: index < nearItems && list.page > 1 })
  const after = useOtherPage(list, list.page + 1, { isKnown, isNear: isNearEnd })
  const series = useMemo(
    // An item that arrives or goes moves others over the end of a page: for a while they can be on both.
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
  const place = isKnown ? firstPlace + index : index + 1
  // What only comes near is on the page, and not counted.
  const total = Math.max(isKnown ? (pagination?.totalCount ?? 0) : 0, page.length)
  return {
    series,
    pageOf,
    isMoreComing: after.isComing,
    placeInList: index === -1 ? undefined : `${place.toLocaleString('en')} of ${total.toLocaleString('en')}`,
  }
}

const nothing: readonly Media[] = []

function useOtherPage(list: LibraryView, page: number, { isKnown, isNear }: { isKnown: boolean; isNear: boolean }) {
  const { data, isLoading } = useQuery({
    ...mediaQueries.page({ ...list, page }),
    // What was fetched is shown from anywhere on this page, so it is kept up to date from there too.
    enabled: ({ state }) => isKnown && (isNear || state.data !== undefined),
    placeholderData: undefined,
  })
  return { media: data?.media ?? nothing, isComing: isLoading }
}
