import { queryOptions } from '@tanstack/react-query'
import { call } from '#platform/client/call.ts'
import type { Collection, CollectionSummary, collectionsApi } from '../contract.ts'

export const collectionQueries = {
  all: () => ['collections'] as const,
  list: () =>
    queryOptions({
      queryKey: [...collectionQueries.all(), 'list'],
      // One URL has two response shapes; without `summary` it is the full one.
      queryFn: async ({ signal }) =>
        (await call<typeof collectionsApi.list>('GET /api/collections', { query: {} }, { signal })) as Collection[],
    }),
  summaries: () =>
    queryOptions({
      queryKey: [...collectionQueries.all(), 'summaries'],
      queryFn: async ({ signal }): Promise<CollectionSummary[]> =>
        call<typeof collectionsApi.list>('GET /api/collections', { query: { summary: 'true' } }, { signal }),
    }),
  one: (id: number) =>
    queryOptions({
      queryKey: [...collectionQueries.all(), 'one', id],
      queryFn: ({ signal }) =>
        call<typeof collectionsApi.get>('GET /api/collections/:id', { params: { id } }, { signal }),
    }),
  media: (id: number) =>
    queryOptions({
      queryKey: [...collectionQueries.all(), 'media', id],
      queryFn: ({ signal }) =>
        call<typeof collectionsApi.listMedia>('GET /api/collections/:id/media', { params: { id } }, { signal }),
    }),
  urlCheck: (id: number, slug: string) =>
    queryOptions({
      queryKey: [...collectionQueries.all(), 'url-check', id, slug],
      queryFn: ({ signal }) =>
        call<typeof collectionsApi.checkUrl>(
          'GET /api/collections/:id/url-check',
          { params: { id }, query: { slug } },
          { signal },
        ),
      enabled: slug.length > 0,
    }),
}
