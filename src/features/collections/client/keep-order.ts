import { maxItemsAtOnce } from '#features/media/limits.ts'
import { call } from '#platform/client/call.ts'
import { chunksOf } from '#shared/chunks.ts'
import type { collectionsApi } from '../contract.ts'

/** Items that came into a collection by calls which overtook each other stand at its end in this order: visitors see it. */
export async function keepOrder(id: number, mediaIds: readonly number[]) {
  if (mediaIds.length < 2) return
  try {
    for (const part of chunksOf(mediaIds, maxItemsAtOnce))
      await call<typeof collectionsApi.arrange>('PATCH /api/collections/:id/order', {
        params: { id },
        body: { mediaIds: part, beforeId: null },
      })
  } catch {
    // All of them are in it, which is what was asked for.
  }
}
