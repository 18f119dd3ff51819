import { maxItemsAtOnce } from '#features/media/limits.ts'
import { call } from '#platform/client/call.ts'
import { chunksOf } from '#shared/chunks.ts'
import type { collectionsApi } from '../contract.ts'

/** Puts items in this order at the collection's end, since concurrent requests may have added them in another one. */
export async function keepOrder(id: number, mediaIds: readonly number[]) {
  if (mediaIds.length < 2) return
  try {
    for (const part of chunksOf(mediaIds, maxItemsAtOnce))
      await call<typeof collectionsApi.arrange>('PATCH /api/collections/:id/order', {
        params: { id },
        body: { mediaIds: part, beforeId: null },
      })
  } catch {
    // The items were added, which is what the user asked for; only their order is lost.
  }
}
