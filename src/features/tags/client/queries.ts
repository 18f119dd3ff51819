import { queryOptions } from '@tanstack/react-query'
import { call } from '#platform/client/call.ts'
import type { tagsApi } from '../contract.ts'

/** While the built-in AI is still comparing. */
const askAgainMs = 3000

export const tagQueries = {
  all: () => ['tags'] as const,
  list: () =>
    queryOptions({
      queryKey: [...tagQueries.all(), 'list'],
      queryFn: ({ signal }) => call<typeof tagsApi.list>('GET /api/tags', { query: {} }, { signal }),
    }),
  one: (tag: string) =>
    queryOptions({
      queryKey: [...tagQueries.all(), 'one', tag],
      queryFn: ({ signal }) => call<typeof tagsApi.get>('GET /api/tags/:tag', { params: { tag } }, { signal }),
    }),
  pairs: () =>
    queryOptions({
      queryKey: [...tagQueries.all(), 'pairs'],
      queryFn: ({ signal }) => call<typeof tagsApi.suggestions>('GET /api/tags/suggestions', undefined, { signal }),
      refetchInterval: ({ state }) => (state.data?.isComplete === false ? askAgainMs : false),
    }),
  /** How many of the items have each tag. */
  ofItems: (mediaIds: readonly number[]) =>
    queryOptions({
      queryKey: [...tagQueries.all(), 'of', mediaIds],
      queryFn: ({ signal }) =>
        call<typeof tagsApi.ofSelection>(
          'POST /api/media/tag-counts',
          { body: { mediaIds: [...mediaIds] } },
          { signal },
        ),
    }),
}
