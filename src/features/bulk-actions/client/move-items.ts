import { isDuplicate } from '#features/collections/client/is-duplicate.ts'
import { keepOrder } from '#features/collections/client/keep-order.ts'
import type { collectionsApi } from '#features/collections/contract.ts'
import { call, messageOf } from '#platform/client/call.ts'
import { forEachConcurrently } from '#shared/concurrency.ts'

const movesAtOnce = 6

/** Each step renders the dialog again, and the progress bar cannot show more steps than this. */
const maxSteps = 200

/** `reason` is the server's message for the last failure. `left` holds the items not yet sent when the move was stopped. */
export type MoveOutcome = { added: number[]; duplicates: number; failed: number[]; reason: string; left: number[] }
type Watch = { onProgress: (done: number) => void; stopping?: AbortSignal }

/**
 * Sends one request per item, a few at a time, in the order of the selection. An item already in the collection is no
 * failure.
 */
export async function moveItems(
  collectionId: number,
  mediaIds: readonly number[],
  { onProgress, stopping }: Watch,
): Promise<MoveOutcome> {
  const outcome: MoveOutcome = { added: [], duplicates: 0, failed: [], reason: '', left: [] }
  const isAdded = new Set<number>()
  const itemsPerStep = Math.ceil(mediaIds.length / maxSteps)
  let done = 0
  await forEachConcurrently(mediaIds, movesAtOnce, async (mediaId) => {
    if (stopping?.aborted) {
      outcome.left.push(mediaId)
      return
    }
    try {
      await call<typeof collectionsApi.addMedia>('POST /api/collections/:collectionId/media/:mediaId', {
        params: { collectionId, mediaId },
      })
      isAdded.add(mediaId)
    } catch (error) {
      if (isDuplicate(error)) outcome.duplicates++
      else {
        outcome.failed.push(mediaId)
        outcome.reason = messageOf(error, '')
      }
    }
    if (++done % itemsPerStep === 0) onProgress(done)
  })
  outcome.added = mediaIds.filter((id) => isAdded.has(id))
  await keepOrder(collectionId, outcome.added)
  return outcome
}
