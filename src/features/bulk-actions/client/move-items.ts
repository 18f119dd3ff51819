import { collectionsApi } from '#features/collections/contract.ts'
import { ApiError, call } from '#platform/client/call.ts'
import { limitConcurrency } from '#shared/limit-concurrency.ts'

const movesAtOnce = 6

export type MoveOutcome = { added: number[]; duplicates: number; failed: number[] }

/** One call per item, a few at once; an item that is already there is no failure. */
export async function moveItems(
  collectionId: number,
  mediaIds: readonly number[],
  onProgress: (done: number) => void,
): Promise<MoveOutcome> {
  const inTurn = limitConcurrency(movesAtOnce)
  const outcome: MoveOutcome = { added: [], duplicates: 0, failed: [] }
  let done = 0
  await Promise.all(
    mediaIds.map((mediaId) =>
      inTurn(async () => {
        try {
          await call(collectionsApi.addMedia, { params: { collectionId, mediaId } })
          outcome.added.push(mediaId)
        } catch (error) {
          if (isDuplicate(error)) outcome.duplicates++
          else outcome.failed.push(mediaId)
        }
        onProgress(++done)
      }),
    ),
  )
  return outcome
}

function isDuplicate(error: unknown) {
  return error instanceof ApiError && (error.body as { isDuplicate?: boolean } | null)?.isDuplicate === true
}
