import { queryOptions } from '@tanstack/react-query'
import { ApiError, call } from '#platform/client/call.ts'
import type { mediaApi, ViewedMedia } from '../contract.ts'
import type { findingApi } from '../finding-contract.ts'
import { filterQuery, type LibraryView, pageQuery, placeOf } from '../library-view.ts'
import { withPendingFavorite } from './pending-favorites.ts'

const similarInPanel = 12
const namedInPalette = 7

export const mediaQueries = {
  all: () => ['media'] as const,
  page: (view: LibraryView) =>
    queryOptions({
      queryKey: [...mediaQueries.all(), 'page', placeOf(view), pageQuery(view)],
      // Matches and similar results in one list, for the viewer, the keyboard and the selection. The page counts the similar
      // ones.
      queryFn: async ({ signal, client }) => {
        const {
          media,
          near = [],
          notes = [],
          pagination,
        } = await call<typeof mediaApi.list>('GET /api/media', { query: pageQuery(view) }, { signal })
        // A placeholder page keeps its own position.
        const firstPosition = (view.page - 1) * view.pageSize + 1
        const all = [...media, ...near].map((each) => withPendingFavorite(client, each))
        return { media: all, nearCount: near.length, notes, pagination, firstPosition }
      },
      // The previous page stays visible until the next one of the same list arrives, so that the layout does not jump.
      placeholderData: (page, last) => (last?.queryKey[2] === placeOf(view) ? page : undefined),
    }),
  /** The items that a search by name finds first. */
  named: (search: string) =>
    queryOptions({
      queryKey: [...mediaQueries.all(), 'named', search],
      queryFn: async ({ signal }) =>
        (await call<typeof mediaApi.list>('GET /api/media', { query: { search, limit: namedInPalette } }, { signal }))
          .media,
    }),
  /** A few items that look like this one, for the viewer's panel. */
  similar: (id: number) =>
    queryOptions({
      queryKey: [...mediaQueries.all(), 'similar', id],
      queryFn: async ({ signal }) => {
        const query = { similarToId: id, limit: similarInPanel }
        return (await call<typeof mediaApi.list>('GET /api/media', { query }, { signal })).media
      },
    }),
  /** The exact number of items in the list. */
  count: (view: LibraryView) => {
    const query = filterQuery(view)
    return queryOptions({
      queryKey: [...mediaQueries.all(), 'count', query],
      queryFn: async ({ signal }) =>
        (await call<typeof mediaApi.count>('GET /api/media/count', { query }, { signal })).totalCount,
    })
  },
  one: (id: number) =>
    queryOptions({
      queryKey: [...mediaQueries.all(), 'one', id],
      queryFn: async ({ signal, client }): Promise<ViewedMedia> =>
        withPendingFavorite(
          client,
          await call<typeof mediaApi.get>('GET /api/media/:id', { params: { id } }, { signal }),
        ),
      retry: (failures, error) => failures === 0 && !isGone(error),
    }),
  /** The months of the list and where each begins, for the scrubber. */
  months: (view: LibraryView, by: 'taken' | 'added') => {
    const query = { ...filterQuery(view), by, direction: view.direction }
    return queryOptions({
      queryKey: [...mediaQueries.all(), 'months', query],
      queryFn: ({ signal }) => call<typeof findingApi.months>('GET /api/media/months', { query }, { signal }),
      staleTime: 60_000,
    })
  },
  /** What the word at the end of a search may become. */
  suggestions: (search: string) =>
    queryOptions({
      queryKey: [...mediaQueries.all(), 'suggestions', search],
      queryFn: async ({ signal }) => ({
        ...(await call<typeof findingApi.suggestions>('GET /api/media/suggestions', { query: { search } }, { signal })),
        search,
      }),
    }),
  /** A server setting that changes only with a restart. */
  services: () =>
    queryOptions({
      queryKey: ['services'],
      queryFn: () => call<typeof mediaApi.services>('GET /api/services'),
      staleTime: Number.POSITIVE_INFINITY,
    }),
}

/** Whether the server responded 404. Other failures say nothing about the item. */
export const isGone = (error: Error | null) => error instanceof ApiError && error.status === 404

/** Treats a 404 as success: the item is already deleted, possibly by an earlier request whose response was lost. */
export function orGone<T>(deletion: Promise<T>, answer: T): Promise<T> {
  return deletion.catch((error) => {
    if (isGone(error)) return answer
    throw error
  })
}
export const doneBefore = 'This was already done.'
