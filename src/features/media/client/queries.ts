import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '#platform/client/call.ts'
import { mediaApi } from '../contract.ts'
import type { LibraryView } from './library-view.ts'

export const mediaQueries = {
  all: () => ['media'] as const,
  page: (view: LibraryView) =>
    queryOptions({
      queryKey: [...mediaQueries.all(), 'page', pageQuery(view)],
      queryFn: ({ signal }) => call(mediaApi.list, { query: pageQuery(view) }, { signal }),
      // The last page stays on the screen until the next one is there: nothing jumps.
      placeholderData: keepPreviousData,
    }),
  one: (id: number) =>
    queryOptions({
      queryKey: [...mediaQueries.all(), 'one', id],
      queryFn: ({ signal }) => call(mediaApi.get, { params: { id } }, { signal }),
    }),
}

function pageQuery({ filter, collectionId, search, sort, page, pageSize }: LibraryView) {
  return {
    page,
    limit: pageSize,
    search: search || undefined,
    collectionId,
    sort,
    type: filter === 'images' ? ('image' as const) : filter === 'videos' ? ('video' as const) : undefined,
    favorite: filter === 'favorites' ? ('true' as const) : undefined,
    trashed: filter === 'trash' ? ('true' as const) : undefined,
  }
}
