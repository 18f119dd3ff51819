import { type ChangedItem, mediaIdOf, type PutBack, recordInChange } from '#features/media/server/history.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import { updateMedia } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { RunItem } from '#platform/server/runs/runs-store.ts'
import { safeTypedName, splitExtension } from '#shared/filenames.ts'
import { sortKey } from '#shared/fold.ts'

/**
 * [Note: Undoing a conversion]
 * An added WebP is recorded as a copy, which undo moves to the trash. A replaced image is recorded with the id and bytes of its
 * original in the trash, and undo exchanges the files of the two items. So the image keeps its id, links, tags and collections
 * both ways, and no bytes are deleted.
 */
export async function recordConversion(
  transaction: Db,
  { ownerId, key }: { ownerId: number; key?: string },
  item: ChangedItem,
) {
  const isReplacement = item.before !== null
  const kind = isReplacement ? 'replacement' : 'copy'
  const title = isReplacement ? 'Replaced with WebP' : 'Converted to WebP'
  await recordInChange(transaction, { ownerId, kind, title, key }, [item])
}

type Original = Pick<MediaRow, 'id' | 'blob'>
export const describeOriginal = ({ id, blob }: Original) => JSON.stringify({ id, blob } satisfies Original)
const originalOf = ({ input }: RunItem): Original => JSON.parse(input!)
export const originalIdsOf = (item: RunItem) => [originalOf(item).id]

/**
 * Skips images that were converted again or moved to the trash since, and originals that left the trash or were converted too.
 * After a restore, an item of any user may have the id of a deleted original.
 */
export const restoreOriginals: PutBack = async (transaction, items) => {
  const ids = items.flatMap((item) => [mediaIdOf(item), ...originalIdsOf(item)])
  const rows = await transaction.selectFrom('media').selectAll().where('id', 'in', ids).execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  const restored: number[] = []
  for (const item of items) {
    const wanted = originalOf(item)
    const [image, original] = [byId.get(mediaIdOf(item)), byId.get(wanted.id)]
    if (!image || image.blob !== item.output || image.is_trashed) continue
    if (original?.owner_id !== image.owner_id || original.blob !== wanted.blob || !original.is_trashed) continue
    // The WebP has just moved to the trash, so it stays there for the whole time.
    await updateMedia(transaction, original.id, { ...fileOf(image, image.filename), trashed_at: Date.now() })
    await updateMedia(transaction, image.id, fileOf(original, nameOf(image, original)))
    await indexMedia(transaction, [original.id])
    restored.push(image.id)
  }
  return restored
}

/** An image that was renamed since keeps its new name, with the original's extension. */
function nameOf(image: MediaRow, original: MediaRow) {
  return safeTypedName(splitExtension(image.filename).stem, splitExtension(original.filename).extension)
}

/** The columns that describe the bytes. The camera's data is the same in both files. */
function fileOf(row: MediaRow, filename: string) {
  const { blob, size, mime_type, width, height, is_animated, thumbhash, colours, perceptual_hash } = row
  const name = { filename, name_key: sortKey(filename) }
  return { ...name, blob, size, mime_type, width, height, is_animated, thumbhash, colours, perceptual_hash }
}
