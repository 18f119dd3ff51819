import { queryOptions } from '@tanstack/react-query'
import type { Branding } from '#features/collections/contract.ts'
import { call } from '#platform/client/call.ts'
import { publicApi, sharingApi } from '../contract.ts'

/** Below the collections' key: whatever changes a collection also refreshes these. */
const all = ['collections', 'sharing'] as const

export const sharingQueries = {
  options: (id: number) =>
    queryOptions({
      queryKey: [...all, 'options', id],
      queryFn: ({ signal }) => call(sharingApi.options, { params: { id } }, { signal }),
    }),
  statistics: (id: number) =>
    queryOptions({
      queryKey: [...all, 'statistics', id],
      queryFn: ({ signal }) => call(sharingApi.statistics, { params: { id } }, { signal }),
    }),
  preview: (id: number, branding: Branding) =>
    queryOptions({
      queryKey: [...all, 'preview', id, branding],
      queryFn: ({ signal }) => call(sharingApi.preview, { params: { id }, body: branding }, { signal }),
      // What is half-typed is refused, however often it is asked.
      retry: false,
    }),
  images: (slug: string) =>
    queryOptions({
      queryKey: [...all, 'images', slug],
      queryFn: ({ signal }) => call(publicApi.images, { params: { slug } }, { signal }),
    }),
}
