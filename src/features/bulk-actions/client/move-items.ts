import { keepOrder } from '#features/collections/client/keep-order.ts'
import { collectionsApi } from '#features/collections/contract.ts'
import { ApiError, call } from '#platform/client/call.ts'
import { forEachAtOnce } from '#shared/for-each-at-once.ts'

const movesAtOnce = 6

export type MoveOutcome = { added: number[]; duplicates: number; failed: number[] }

/** One call per item, a few at once, in the order in which they were chosen; an item that is already there is no failure. */
export async function moveItems(
  collectionId: number,
  mediaIds: readonly number[],
  onProgress: (done: number) => void,
): Promise<MoveOutcome> {
  const outcome: MoveOutcome = { added: [], duplicates: 0, failed: [] }
  const isAdded = new Set<number>()
  let done = 0
  await forEachAtOnce(mediaIds, movesAtOnce, async (mediaId) => {
    try {
      await call(collectionsApi.addMedia, { params: { collectionId, mediaId } })
      isAdded.add(mediaId)
    } catch (error) {
      if (isDuplicate(error)) outcome.duplicates++
      else outcome.failed.push(mediaId)
    }
    onProgress(++done)
  })
  outcome.added = mediaIds.filter((id) => isAdded.has(id))
  await keepOrder(collectionId, outcome.added)
  return outcome
}

function isDuplicate(error: unknown) {
  return error instanceof ApiError && (error.body as { isDuplicate?: boolean } | null)?.isDuplicate === true
}
