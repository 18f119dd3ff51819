import { queryOptions } from '@tanstack/react-query'
import { call } from '#platform/client/call.ts'
import type { deliveryApi, WantedFile } from '../contract.ts'

const all = ['delivery'] as const

export const deliveryQueries = {
  all: () => all,
  settings: () =>
    queryOptions({
      queryKey: [...all, 'settings'],
      queryFn: ({ signal }) => call<typeof deliveryApi.settings>('GET /api/delivery/settings', undefined, { signal }),
    }),
  /** With an item, also the presets of its websites. */
  presets: (mediaId?: number) =>
    queryOptions({
      queryKey: [...all, 'presets', mediaId],
      queryFn: ({ signal }) => call<typeof deliveryApi.presets>('GET /api/presets', { query: { mediaId } }, { signal }),
    }),
  /** Nested under the item's changing address, so that a replaced file is weighed again. */
  addresses: (id: number, originalUrl: string, files: WantedFile[], areWeighed = false) =>
    queryOptions({
      queryKey: [...all, 'addresses', id, originalUrl, files, areWeighed],
      queryFn: async ({ signal }) => {
        const body = { files, areWeighed }
        const { addresses } = await call<typeof deliveryApi.addresses>(
          'POST /api/media/:id/addresses',
          { params: { id }, body },
          { signal },
        )
        return addresses
      },
    }),
}
