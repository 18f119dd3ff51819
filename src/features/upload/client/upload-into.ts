import { keepOrder } from '#features/collections/client/keep-order.ts'
import type { CollectionSummary } from '#features/collections/contract.ts'
import type { UploadItem } from './upload-queue.ts'
import type { UploadEnd } from './uploader.ts'

type Names = readonly Pick<CollectionSummary, 'id' | 'name'>[]

/** The collections that these files are given to, or nothing when all are for the library alone, each in quotation marks. */
export function targetWords(items: readonly Pick<UploadItem, 'collectionId'>[], names: Names): string | undefined {
  const nameOf = (wanted?: number) => names.find(({ id }) => id === wanted)?.name
  const targets = [...new Set(items.map(({ collectionId }) => nameOf(collectionId)))]
  if (targets.every((name) => name === undefined)) return undefined
  return targets.map((name) => (name === undefined ? 'your library' : `"${name}"`)).join(' and ')
}

/** Where the files of a run are now, for the sentence that tells of its end. */
export function placeWords({ items, hasLostCollection }: UploadEnd, names: Names): string | undefined {
  if (hasLostCollection) return 'your library; the collection is no longer there'
  return targetWords(
    items.filter(({ status }) => status === 'done'),
    names,
  )
}

/** Each collection has its files in the order in which they were chosen. */
export async function keepChosenOrder(items: readonly UploadItem[]) {
  const arrived = Map.groupBy(
    items.filter(({ mediaId, collectionId }) => mediaId !== undefined && collectionId !== undefined),
    ({ collectionId }) => collectionId!,
  )
  for (const [collectionId, members] of arrived)
    await keepOrder(
      collectionId,
      members.map(({ mediaId }) => mediaId!),
    )
}
