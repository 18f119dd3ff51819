import { createReadStream } from 'node:fs'
import { sql } from 'kysely'
import { announceMedia } from '#features/media/server/announce.ts'
import { deleteMediaRows, updateMedia } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { acceptCandidate, examineFile, type IngestServices, receiveFile } from '#features/upload/server/ingest.ts'
import { AppError } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { type SampleFile, sampleFiles } from './sample-files.ts'

const batch = 500
/** As a literal, because SQLite uses an index of some rows only for a condition that it can read. */
const isSample = sql<boolean>`is_sample = 1`

export async function countSamples(db: Db, ownerId: number) {
  const { count } = await db
    .selectFrom('media')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('owner_id', '=', ownerId)
    .where(isSample)
    .executeTakeFirstOrThrow()
  return { count: Number(count) }
}

/** One after the other, so that they keep their order and each appears on open pages as soon as it is stored. */
export async function addSamples(services: IngestServices, ownerId: number, enableAi: boolean) {
  for (const sample of sampleFiles.toReversed()) await addSample(services, ownerId, sample, enableAi)
  return countSamples(services.db, ownerId)
}

async function addSample(services: IngestServices, ownerId: number, sample: SampleFile, enableAi: boolean) {
  const { path, filename, credit } = sample
  const source = createReadStream(path)
  // If the file is refused before it is read, its handle would stay open.
  const arrived = await receiveFile(services, ownerId, { source, filename }).finally(() => source.destroy())
  const candidate = await examineFile(services, arrived)
  try {
    await acceptCandidate(services, ownerId, candidate, {
      filename,
      enableAi,
      complete: (transaction, media) => markAsSample(transaction, media, credit),
    })
  } catch (error) {
    if (!isPresent(error)) throw error
  }
}

const presentCode = 'sample-is-present'
const isPresent = (error: unknown) => error instanceof AppError && error.code === presentCode

/** The quota has locked the owner, so of two requests at the same time the second one finds what the first one added. */
async function markAsSample(db: Db, media: MediaRow, credit: string) {
  const { owner_id, blob } = media
  const present = db.selectFrom('media').select('id').where('owner_id', '=', owner_id).where('blob', '=', blob)
  if (await present.where(isSample).limit(1).executeTakeFirst()) throw new AppError(presentCode, 409, 'Already there.')
  return (await updateMedia(db, media.id, { is_sample: 1, user_description: credit })) ?? media
}

/** Also removes copies and WebP copies of samples, whose bytes would otherwise stay. */
export async function removeSamples({ db, events }: Pick<IngestServices, 'db' | 'events'>, ownerId: number) {
  let count = 0
  for (;;) {
    const ids = await db.transaction().execute((transaction) => removeBatch(transaction, ownerId))
    await announceMedia(events, ownerId, ids)
    count += ids.length
    if (ids.length < batch) return { count }
  }
}

async function removeBatch(db: Db, ownerId: number) {
  const rows = await db
    .selectFrom('media')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where(isSample)
    .limit(batch)
    .execute()
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0) await deleteMediaRows(db, ids)
  return ids
}
