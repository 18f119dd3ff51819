import { announceMedia } from '#features/media/server/announce.ts'
import { insertBlob } from '#features/media/server/blob-store.ts'
import { addFileWords } from '#features/media/server/file-words.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { reserveQuota } from '#features/media/server/quota.ts'
import { lockItem } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { changeFile, type NewFile } from '#features/media/server/versions.ts'
import { enqueueVideoWork } from '#features/media/server/video-work.ts'
import { conflict } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { type Candidate, type IngestServices, storeCandidate } from './ingest.ts'

type Replacement = Omit<NewFile, 'madeBy'> & {
  /** The name that the item gets, from the one it has when it is locked. */
  nameFor: (current: MediaRow) => string
  /** The file was made from the item's own one, which must still be the same. Camera data and dates are kept. */
  isMadeFromItem?: boolean
  /** A smaller file may exceed the quota, see [Note: Shared bytes count once]. */
  isSmaller?: boolean
  /** Writes more in the same transaction. */
  complete?: (transaction: Db, changed: { before: MediaRow; after: Owned<MediaRow> }) => Promise<void>
}

/** Gives an item the candidate's bytes; the replaced file becomes a version. See [Note: One door for bytes]. */
export async function replaceFile(
  services: IngestServices,
  media: Owned<MediaRow>,
  candidate: Candidate,
  { nameFor, isMadeFromItem, isSmaller, complete, ...newFile }: Replacement,
): Promise<Owned<MediaRow>> {
  const { events, jobs, config } = services
  const { sha256, bytes } = candidate.arrival
  const { exif, taken_at, ...facts } = candidate.examined.facts
  const camera = isMadeFromItem ? {} : { exif, taken_at }
  const row = await storeCandidate(services, candidate, async (transaction) => {
    // It may have been renamed, replaced or deleted meanwhile.
    const before = await lockItem(transaction, media)
    if (isMadeFromItem && before.blob !== media.blob)
      throw conflict('This image was replaced while the new file was being made. Please try again.')
    await reserveQuota(transaction, media.owner_id, { sha256, bytes, quotaBytes: config.quotaBytes, isSmaller })
    await insertBlob(transaction, sha256, bytes)
    const described = { ...facts, ...camera, sprite: null, processing_error: null }
    const file = { ...described, blob: sha256, size: bytes, filename: nameFor(before) }
    const changed = await changeFile(transaction, before, file, { ...newFile, madeBy: media.owner_id })
    const after = isMadeFromItem ? changed : await addFileWords(transaction, changed, candidate.examined.words)
    await complete?.(transaction, { before, after })
    await indexMedia(transaction, [media.id])
    await enqueueVideoWork(jobs, transaction, after)
    return after
  })
  await announceMedia(events, media.owner_id, [media.id])
  return row
}
