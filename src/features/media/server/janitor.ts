import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import type { Storage } from '#engines/storage/storage.ts'
import type { Config } from '#platform/server/config.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { batchesOf } from '#shared/chunks.ts'
import { areAllClaimed, claimsOf, hasItem, removeExpiredClaims } from './blob-store.ts'
import { isLibraryPaused } from './library-pause.ts'
import { removeOldTrash } from './trash.ts'

const hourMs = 3600_000
const settledMs = 20_000
const batch = 500

type Services = {
  db: Kysely<Tables>
  storage: Storage
  jobs: Jobs
  log: FastifyBaseLogger
  config: Pick<Config, 'databaseUrl' | 's3'>
}

type TidyServices = Omit<Services, 'jobs' | 'config'>

export async function workAsJanitor(services: Services) {
  const { db, jobs } = services
  jobs.work('tidy-media', { concurrency: 1 }, () =>
    tidyMedia(services, minLeftoverAgeMs(services), isSingleProcess(services)),
  )
  jobs.work('remove-unused', { concurrency: 1 }, async () => {
    // Not left to the queue, because the next run is half a minute away.
    await removeUnused(services, minLeftoverAgeMs(services)).catch((error) =>
      services.log.warn({ err: error }, 'unused files were not removed'),
    )
  })
  jobs.work('find-strays', { concurrency: 1 }, () =>
    removeOrphans(services, minLeftoverAgeMs(services), isSingleProcess(services)),
  )
  // A user who deletes an item expects its bytes to be gone within a minute.
  await jobs.schedule('remove-unused', '*/30 * * * * *')
  await jobs.schedule('tidy-media', '*/10 * * * *')
  await jobs.schedule('find-strays', '23 3 * * *')
  for (const kind of ['tidy-media', 'find-strays']) await jobs.enqueue(db, kind, {}, { key: 'start' })
  // By then everything that a killed process had started has ended.
  await jobs.enqueue(db, 'tidy-media', {}, { key: 'settled', runAt: Date.now() + settledMs })
}

/**
 * A temporary file of another process may be up to an hour old and still needed. A single process can remove everything older
 * than itself.
 */
function minLeftoverAgeMs(services: Services) {
  return isSingleProcess(services) ? Math.min(hourMs, process.uptime() * 1000) : hourMs
}

const isSingleProcess = ({ config }: Services) => !config.databaseUrl && !config.s3

/**
 * Removes old trash, files left by crashes, and unused blobs: released ones at once, others after `olderThanMs`. Claims that
 * are older do not count.
 */
export async function tidyMedia(services: TidyServices, olderThanMs: number, isSingleProcess = false) {
  await removeOldTrash(services.db)
  // The first file of a batch waits while the others arrive and are examined, which takes an hour at most.
  const temporaryFiles = await services.storage.sweep({ olderThanMs: 2 * olderThanMs, isAlone: isSingleProcess })
  const blobs = await removeUnused(services, olderThanMs)
  await removeExpiredClaims(services.db, olderThanMs)
  if (temporaryFiles + blobs > 0) services.log.info({ temporaryFiles, blobs }, 'leftover files removed')
}

/**
 * Removes bytes in the storage without a row, left by a crash between storing and recording. They are recorded first, with
 * the current time unless this is a single process, because an upload of the same bytes found no row to claim.
 */
export async function removeOrphans(services: TidyServices, olderThanMs: number, isSingleProcess = false) {
  const { db, storage, log } = services
  let orphans = 0
  for await (const files of batchesOf(storage.list(), batch)) {
    const names = files.map(({ sha256 }) => sha256)
    const rows = await db.selectFrom('blobs').select('sha256').where('sha256', 'in', names).execute()
    const known = new Set(rows.map(({ sha256 }) => sha256))
    for (const { sha256, bytes, modifiedAt } of files) {
      if (known.has(sha256) || modifiedAt.getTime() > Date.now() - olderThanMs) continue
      orphans++
      const orphan = { sha256, bytes, created_at: isSingleProcess ? modifiedAt.getTime() : Date.now() }
      await db
        .insertInto('blobs')
        .values(orphan)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    }
  }
  const blobs = orphans > 0 ? await removeUnused(services, olderThanMs) : 0
  if (blobs > 0) log.info({ blobs }, 'orphaned files removed')
}

/**
 * A restore, an import and a backup may need any file for over an hour, so nothing is removed meanwhile.
 */
async function removeUnused(services: TidyServices, olderThanMs: number) {
  let removed = 0
  for (let after = 0; ; ) {
    if (await isLibraryPaused(services.db)) return removed
    if (await areAllClaimed(services.db, olderThanMs)) return removed
    const listedAt = Date.now()
    const candidates = await listCandidates(services.db, after)
    const done: number[] = []
    for (const { id, sha256, created_at, is_released, is_used } of candidates) {
      const isDue = created_at !== null && (is_released === 1 || created_at <= Date.now() - olderThanMs)
      const isRemoved = isDue && !is_used && (await removeBlob(services, { sha256, created_at, listedAt }, olderThanMs))
      if (isRemoved) removed++
      if (isRemoved || is_used || created_at === null) done.push(id)
    }
    if (done.length > 0) await services.db.deleteFrom('loose_blobs').where('id', 'in', done).execute()
    if (candidates.length < batch) return removed
    after = candidates.at(-1)!.id
  }
}

/** Blobs listed by triggers; `created_at` is null if the row no longer exists. */
async function listCandidates(db: Db, after: number) {
  return db
    .selectFrom('loose_blobs')
    .leftJoin('blobs', 'blobs.sha256', 'loose_blobs.sha256')
    .select([
      'loose_blobs.id',
      'loose_blobs.sha256',
      'loose_blobs.is_released',
      'blobs.created_at',
      hasItem('loose_blobs.sha256').as('is_used'),
    ])
    .where('loose_blobs.id', '>', after)
    .orderBy('loose_blobs.id')
    .limit(batch)
    .execute()
}

type Unused = { sha256: string; created_at: number; listedAt: number }

/**
 * Deletes the row only if it is unused, unclaimed and was not renewed since it was listed. The row stays locked until the
 * bytes are removed, so an upload of the same bytes waits and then stores them again;
 * see [Note: Bytes are claimed before they are kept].
 */
async function removeBlob(
  { db, storage, log }: TidyServices,
  { sha256, created_at, listedAt }: Unused,
  maxClaimAgeMs: number,
) {
  const isRemoved = await db.transaction().execute(async (transaction) => {
    if (await isLibraryPaused(transaction)) return false
    const { numDeletedRows } = await transaction
      .deleteFrom('blobs')
      .where('sha256', '=', sha256)
      .where('created_at', '=', created_at)
      .where(({ not, exists }) => not(exists(claimsOf(transaction, sha256, maxClaimAgeMs))))
      .where(({ not }) => not(hasItem('blobs.sha256')))
      .executeTakeFirst()
    // Bytes that were stored again since the listing stay.
    return numDeletedRows > 0n && storage.remove(sha256, { unchangedSince: listedAt })
  })
  if (isRemoved)
    await storage.derived.remove(sha256).catch((error) => {
      // An upload is writing derived files of the same bytes; the remaining files belong to it.
      log.warn({ err: error, sha256 }, 'derived files were not removed')
    })
  return isRemoved
}
