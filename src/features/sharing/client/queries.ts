import { queryOptions } from '@tanstack/react-query'
import type { Branding } from '#features/websites/branding.ts'
import { call } from '#platform/client/call.ts'
import type { publicApi, sharingApi } from '../contract.ts'

/** Nested under the collections' key, so that invalidating collections also refreshes these. */
const all = ['collections', 'sharing'] as const

export const sharingQueries = {
  options: (id: number) =>
    queryOptions({
      queryKey: [...all, 'options', id],
      queryFn: ({ signal }) =>
        call<typeof sharingApi.options>('GET /api/collections/:id/sharing', { params: { id } }, { signal }),
    }),
  statistics: (id: number) =>
    queryOptions({
      queryKey: [...all, 'statistics', id],
      queryFn: ({ signal }) =>
        call<typeof sharingApi.statistics>('GET /api/collections/:id/statistics', { params: { id } }, { signal }),
    }),
  preview: (id: number, branding: Branding) =>
    queryOptions({
      queryKey: [...all, 'preview', id, branding],
      queryFn: ({ signal }) =>
        call<typeof sharingApi.preview>(
          'POST /api/collections/:id/preview',
          { params: { id }, body: branding },
          { signal },
        ),
      // Incomplete input is refused however often it is requested.
      retry: false,
    }),
  images: (slug: string) =>
    queryOptions({
      queryKey: [...all, 'images', slug],
      queryFn: ({ signal }) =>
        call<typeof publicApi.images>(
          'GET /api/public/collections/:slug/images',
          { params: { slug }, query: {} },
          { signal },
        ),
    }),
}
