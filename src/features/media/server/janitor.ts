import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import type { Storage } from '#engines/storage/storage.ts'
import type { Config } from '#platform/server/config.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { batchesOf } from '#shared/chunks.ts'
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
    tidyMedia(services, leftOverMs(services), isSingleProcess(services)),
  )
  jobs.work('find-strays', { concurrency: 1 }, () =>
    removeOrphans(services, leftOverMs(services), isSingleProcess(services)),
  )
  await jobs.schedule('tidy-media', '*/10 * * * *')
  await jobs.schedule('find-strays', '23 3 * * *')
  for (const kind of ['tidy-media', 'find-strays']) await jobs.enqueue(db, kind, {}, { key: 'start' })
  // By then what a killed process had still running has ended too, and has written its last.
  await jobs.enqueue(db, 'tidy-media', {}, { key: 'settled', runAt: Date.now() + settledMs })
}

/**
 * An unfinished file of another process may be an hour old and still wanted. Alone on a disk, everything that is older
 * than this process was left by one that is no more.
 */
function leftOverMs(services: Services) {
  return isSingleProcess(services) ? Math.min(hourMs, process.uptime() * 1000) : hourMs
}

const isSingleProcess = ({ config }: Services) => !config.databaseUrl && !config.s3

/** Old trash, what a crash left half-way, and bytes that nothing has pointed to for an hour. */
export async function tidyMedia(services: TidyServices, olderThanMs: number, isSingleProcess = false) {
  await removeOldTrash(services.db)
  // The first file of a batch lies still while the others arrive, for an hour at most, and are looked at.
  const temporaryFiles = await services.storage.sweep({ olderThanMs: 2 * olderThanMs, isAlone: isSingleProcess })
  const blobs = await removeUnused(services, olderThanMs)
  if (temporaryFiles + blobs > 0) services.log.info({ temporaryFiles, blobs }, 'left-over files removed')
}

/**
 * Bytes that a crash left between "kept" and "recorded": in the storage, but in no table. Recorded, they are unused. Whoever
 * brings them again at this moment has found no row to claim, so except alone on a disk, which looks twice, they stay
 * for as long once more.
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
  if (blobs > 0) log.info({ blobs }, 'stray files removed')
}

/** What a restore has brought is pointed to when all of it is there, which may take more than an hour: meanwhile all stays. */
async function removeUnused(services: TidyServices, olderThanMs: number) {
  let removed = 0
  for (let after = 0; ; ) {
    if (await isLibraryPaused(services.db)) return removed
    const candidates = await listCandidates(services.db, after)
    const done: number[] = []
    for (const { id, sha256, created_at, is_used } of candidates) {
      const isOld = created_at !== null && created_at <= Date.now() - olderThanMs
      const isRemoved = isOld && !is_used && (await removeBlob(services, sha256, olderThanMs))
      if (isRemoved) removed++
      if (isRemoved || is_used || created_at === null) done.push(id)
    }
    if (done.length > 0) await services.db.deleteFrom('loose_blobs').where('id', 'in', done).execute()
    if (candidates.length < batch) return removed
    after = candidates.at(-1)!.id
  }
}

/** What triggers noted; without the time of those that are gone by now. */
async function listCandidates(db: Db, after: number) {
  return db
    .selectFrom('loose_blobs')
    .leftJoin('blobs', 'blobs.sha256', 'loose_blobs.sha256')
    .select(({ exists, selectFrom }) => [
      'loose_blobs.id',
      'loose_blobs.sha256',
      'blobs.created_at',
      exists(selectFrom('media').select('media.id').whereRef('media.blob', '=', 'loose_blobs.sha256')).as('is_used'),
    ])
    .where('loose_blobs.id', '>', after)
    .orderBy('loose_blobs.id')
    .limit(batch)
    .execute()
}

/**
 * The row goes only while nothing points to it and nobody has just brought the same bytes again. It is held until the
 * bytes are gone too: whoever records or claims the same bytes meanwhile waits, and then finds that they have to be
 * brought; see [Note: Bytes are claimed before they are kept].
 */
async function removeBlob({ db, storage, log }: TidyServices, sha256: string, olderThanMs: number) {
  const isRemoved = await db.transaction().execute(async (transaction) => {
    if (await isLibraryPaused(transaction)) return false
    const { numDeletedRows } = await transaction
      .deleteFrom('blobs')
      .where('sha256', '=', sha256)
      .where('created_at', '<=', Date.now() - olderThanMs)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('media').select('media.id').whereRef('media.blob', '=', 'blobs.sha256'))),
      )
      .executeTakeFirst()
    // An upload may have put the same bytes there a moment ago and is about to record them; then they stay.
    return numDeletedRows > 0n && storage.remove(sha256, { unchangedForMs: olderThanMs })
  })
  if (isRemoved)
    await storage.derived.remove(sha256).catch((error) => {
      // They come back at this very moment and are written to: what is left is a cache, and theirs.
      log.warn({ err: error, sha256 }, 'derived files were not removed')
    })
  return isRemoved
}
