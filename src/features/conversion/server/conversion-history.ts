import { type ChangedItem, mediaIdOf, type PutBack, recordInChange } from '#features/media/server/history.ts'
import { asOwned } from '#features/media/server/owned.ts'
import { findEarlierFile, returnToVersion } from '#features/media/server/versions.ts'
import type { Db } from '#platform/server/db/tables.ts'

/**
 * [Note: Undoing a conversion]
 * An added file is recorded as a copy, which undo moves to the trash. A replaced image is recorded with the bytes of its
 * original, and undo makes that version its file again. So the image keeps its id, links, tags and collections both ways, and
 * no bytes are deleted.
 */
export async function recordConversion(
  transaction: Db,
  { ownerId, key, format }: { ownerId: number; key?: string; format: string },
  item: ChangedItem,
) {
  const isReplacement = item.before !== null
  const kind = isReplacement ? 'replacement' : 'copy'
  const title = isReplacement ? `Replaced with ${format}` : `Converted to ${format}`
  await recordInChange(transaction, { ownerId, kind, title, key }, [item])
}

/**
 * Skips images that were converted again or moved to the trash since, and originals that are no longer kept.
 */
export const restoreOriginals: PutBack = async (transaction, items) => {
  const ids = items.map(mediaIdOf)
  const rows = await transaction.selectFrom('media').selectAll().where('id', 'in', ids).execute()
  const byId = new Map(rows.map((row) => [row.id, asOwned(row)]))
  const restored: number[] = []
  for (const item of items) {
    const image = byId.get(mediaIdOf(item))
    if (!image || image.blob !== item.output || image.is_trashed) continue
    const original = await findEarlierFile(transaction, image, item.input!)
    if (!original) continue
    // The converted file has just become an earlier one, so it is kept for the whole time.
    await returnToVersion(transaction, image, original, { isExpiring: true })
    restored.push(image.id)
  }
  return restored
}
