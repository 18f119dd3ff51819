import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { isAway } from '#engines/imagekit/imagekit-errors.ts'
import { updateMedia } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { AppError } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'

/**
 * Converts any error to one that can be stored on an item with a code, a status and a message. Unexpected errors are logged.
 */
export function asFailure(error: unknown, log: FastifyBaseLogger): AppError {
  if (error instanceof AppError) {
    const { code, status, message, details } = error
    // Unavailable storage and a restore in progress are temporary.
    const isTemporary = code === 'unavailable' || isAway(error)
    return isTemporary ? new AppError(code, status, message, { ...details, isRetryable: true }) : error
  }
  log.error({ err: error }, 'analysis failed unexpectedly')
  return new AppError('ai-unexpected', 500, 'The analysis failed unexpectedly. Please try again.', {
    isRetryable: true,
  })
}

const commonFaults = new Set([
  'ai-auth',
  'ai-limit',
  'ai-model',
  'ai-models-missing',
  'ai-network',
  'ai-no-vision',
  'ai-rate',
])

/** Whether the failure concerns the AI and not the item, so that the next item would fail as well. */
export const isCommonFault = (error: unknown) => error instanceof AppError && commonFaults.has(error.code)

/** Whether an analysis is pending or will be retried, unless it is canceled. */
export const isOpen = ({ ai_status, ai_error }: Pick<MediaRow, 'ai_status' | 'ai_error'>) =>
  ai_status === 'waiting' || ai_error !== null

/** Locks the item until the transaction ends. Returns undefined if it must not be changed any more. */
export async function holdForAnalysis(
  db: Db,
  { id, created_at, blob }: Pick<MediaRow, 'id' | 'created_at' | 'blob'>,
  isOnlyWhileOpen: boolean,
) {
  // The update locks the row, so that a user's edit comes either before or after this transaction.
  const row = await updateMedia(db, id, {})
  // The library may have been replaced in the meantime, and the id may belong to another item, or its file was replaced.
  return row?.created_at !== created_at || row.blob !== blob || (isOnlyWhileOpen && !isOpen(row)) ? undefined : row
}

/** Stores why there is no new analysis and whether it will be retried. The previous results are kept. */
export async function recordFailure(
  db: Kysely<Tables>,
  media: Pick<MediaRow, 'id' | 'created_at' | 'blob'>,
  { code, status, message }: AppError,
  { willRetry = false, isOnlyWhileOpen = false } = {},
) {
  await db.transaction().execute(async (transaction) => {
    if (!(await holdForAnalysis(transaction, media, isOnlyWhileOpen))) return
    await updateMedia(transaction, media.id, { ai_status: willRetry ? 'waiting' : 'failed', ai_error: message })
    const failure = { code, status, message, failed_at: Date.now() }
    await transaction
      .insertInto('ai_failures')
      .values({ media_id: media.id, ...failure })
      .onConflict((conflict) => conflict.column('media_id').doUpdateSet(failure))
      .execute()
  })
}

export async function clearFailure(db: Db, mediaId: number) {
  await db.deleteFrom('ai_failures').where('media_id', '=', mediaId).execute()
}

/** Ends a pending analysis and keeps the results of the previous one. */
export async function closeAnalysis(
  db: Db,
  { id, ai_provider }: Pick<MediaRow, 'id' | 'ai_provider'>,
): Promise<MediaRow> {
  await clearFailure(db, id)
  return (await updateMedia(db, id, { ai_status: ai_provider ? 'done' : 'none', ai_error: null }))!
}

export async function findFailure(db: Db, mediaId: number): Promise<AppError | undefined> {
  const row = await db.selectFrom('ai_failures').selectAll().where('media_id', '=', mediaId).executeTakeFirst()
  return row && new AppError(row.code, row.status, row.message)
}

const retriedAtOnce = 200

/** The models have been installed, so items that failed without them are queued again. */
export async function retryWithoutModels(db: Kysely<Tables>, jobs: Jobs) {
  const failed = await db
    .selectFrom('ai_failures')
    .innerJoin('media', 'media.id', 'ai_failures.media_id')
    .select(['media_id', 'owner_id'])
    .where('code', '=', 'ai-models-missing')
    .limit(retriedAtOnce)
    .execute()
  for (const { media_id, owner_id } of failed) {
    await db.transaction().execute(async (transaction) => {
      await clearFailure(transaction, media_id)
      await updateMedia(transaction, media_id, { ai_status: 'waiting', ai_error: null })
      const owned = { key: String(media_id), ownerId: owner_id }
      await jobs.enqueue(transaction, 'analyze-media', { mediaId: media_id }, owned)
    })
  }
}
