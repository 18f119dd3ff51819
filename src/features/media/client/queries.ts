import { queryOptions } from '@tanstack/react-query'
import { ApiError, call } from '#platform/client/call.ts'
import type { mediaApi, ViewedMedia } from '../contract.ts'
import { type LibraryView, pageQuery, placeOf } from '../library-view.ts'
import { withWish } from './favorite-wishes.ts'

export const mediaQueries = {
  all: () => ['media'] as const,
  page: (view: LibraryView) =>
    queryOptions({
      queryKey: [...mediaQueries.all(), 'page', placeOf(view), pageQuery(view)],
      // One list for the viewer, the keys and the selection; how many at its end only come near, the page says.
      queryFn: async ({ signal, client }) => {
        const {
          media,
          near = [],
          pagination,
        } = await call<typeof mediaApi.list>('GET /api/media', { query: pageQuery(view) }, { signal })
        // While it stands in for the next page it still knows its own place.
        const firstPlace = (view.page - 1) * view.pageSize + 1
        const all = [...media, ...near].map((each) => withWish(client, each))
        return { media: all, nearCount: near.length, pagination, firstPlace }
      },
      // The last page stays on the screen until the next one of the same place is there: nothing jumps.
      placeholderData: (page, last) => (last?.queryKey[2] === placeOf(view) ? page : undefined),
    }),
  one: (id: number) =>
    queryOptions({
      queryKey: [...mediaQueries.all(), 'one', id],
      queryFn: async ({ signal, client }): Promise<ViewedMedia> =>
        withWish(client, await call<typeof mediaApi.get>('GET /api/media/:id', { params: { id } }, { signal })),
      retry: (failures, error) => failures === 0 && !isGone(error),
    }),
  /** A setting, which changes with a restart of the server only. */
  ai: () =>
    queryOptions({
      queryKey: ['ai'],
      queryFn: () => call<typeof mediaApi.ai>('GET /api/ai'),
      staleTime: Number.POSITIVE_INFINITY,
    }),
}

/** The server looked and did not find it; any other failure says nothing about the item. */
export const isGone = (error: Error | null) => error instanceof ApiError && error.status === 404

/** What should be deleted and is gone already is deleted: perhaps by the first try, whose answer got lost. */
export function orGone<T>(deletion: Promise<T>, answer: T): Promise<T> {
  return deletion.catch((error) => {
    if (isGone(error)) return answer
    throw error
  })
}
export const doneBefore = 'This was already done.'
