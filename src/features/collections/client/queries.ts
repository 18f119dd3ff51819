import { queryOptions } from '@tanstack/react-query'
import { call } from '#platform/client/call.ts'
import { type Collection, type CollectionSummary, collectionsApi } from '../contract.ts'

export const collectionQueries = {
  all: () => ['collections'] as const,
  list: () =>
    queryOptions({
      queryKey: [...collectionQueries.all(), 'list'],
      // One address answers in two shapes; without `summary` it is the whole one.
      queryFn: async ({ signal }) => (await call(collectionsApi.list, { query: {} }, { signal })) as Collection[],
    }),
  summaries: () =>
    queryOptions({
      queryKey: [...collectionQueries.all(), 'summaries'],
      queryFn: async ({ signal }): Promise<CollectionSummary[]> =>
        call(collectionsApi.list, { query: { summary: 'true' } }, { signal }),
    }),
  one: (id: number) =>
    queryOptions({
      queryKey: [...collectionQueries.all(), 'one', id],
      queryFn: ({ signal }) => call(collectionsApi.get, { params: { id } }, { signal }),
    }),
  media: (id: number) =>
    queryOptions({
      queryKey: [...collectionQueries.all(), 'media', id],
      queryFn: ({ signal }) => call(collectionsApi.listMedia, { params: { id } }, { signal }),
    }),
  urlCheck: (id: number, slug: string) =>
    queryOptions({
      queryKey: [...collectionQueries.all(), 'url-check', id, slug],
      queryFn: ({ signal }) => call(collectionsApi.checkUrl, { params: { id }, query: { slug } }, { signal }),
      enabled: slug.length > 0,
    }),
}
