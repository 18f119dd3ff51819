import { useQuery } from '@tanstack/react-query'
import type { Pagination } from '../contract.ts'
import type { LibraryView } from '../library-view.ts'
import { isGone, mediaQueries } from './queries.ts'

export type LibraryItems = ReturnType<typeof useLibraryItems>

/** The current page of the library: its items, and how far they have loaded. */
export function useLibraryItems(view: LibraryView) {
  const { data: found, error, isPending, isPlaceholderData, refetch } = useQuery(mediaQueries.page(view))
  // A deleted collection must not keep showing its cached items.
  const isCollectionGone = view.collectionId !== undefined && isGone(error)
  const data = isCollectionGone ? undefined : found
  const media = data?.media ?? []
  const matchCount = media.length - (data?.nearCount ?? 0)
  const matches = media.slice(0, matchCount)
  const near = media.slice(matchCount)
  /** What "select all" selects: the matches, or the similar results if nothing matches. */
  const all = matchCount > 0 ? matches : media
  const pagination = useExactPagination(view, data?.pagination)
  const totalCount = pagination?.totalCount ?? 0
  const lastPage = pagination?.totalPages ?? view.page
  const isPastEnd = !isPlaceholderData && view.page > lastPage
  // An empty placeholder of another page or search does not mean that this list is empty.
  const isLoading = isPending || (media.length === 0 && (isPlaceholderData || isPastEnd))
  return {
    data,
    pagination,
    media,
    matches,
    near,
    all,
    totalCount,
    lastPage,
    isPastEnd,
    isLoading,
    isPlaceholderData,
    isCollectionGone,
    error,
    refetch,
  }
}

/** A page of many search results arrives with a lower bound of their number, and the exact number a moment later. */
function useExactPagination(view: LibraryView, pagination: Pagination | undefined): Pagination | undefined {
  const { data: totalCount } = useQuery({ ...mediaQueries.count(view), enabled: pagination?.isTotalCapped === true })
  if (!pagination?.isTotalCapped || totalCount === undefined) return pagination
  return { ...pagination, totalCount, totalPages: Math.ceil(totalCount / view.pageSize), isTotalCapped: false }
}
