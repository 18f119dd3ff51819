import { useQuery } from '@tanstack/react-query'
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
  const totalCount = data?.pagination.totalCount ?? 0
  const lastPage = data?.pagination.totalPages ?? view.page
  const isPastEnd = !isPlaceholderData && view.page > lastPage
  // An empty placeholder of another page or search does not mean that this list is empty.
  const isLoading = isPending || (media.length === 0 && (isPlaceholderData || isPastEnd))
  return {
    data,
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
