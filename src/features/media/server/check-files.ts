import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import type { StorageWithFarFiles } from '#engines/storage/far-files.ts'
import type { Storage } from '#engines/storage/storage.ts'
import type { Config } from '#platform/server/config.ts'
import type { BlobState, Db, Tables } from '#platform/server/db/tables.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { isLibraryPaused } from './library-pause.ts'

type Services = {
  db: Kysely<Tables>
  slowReads: Kysely<Tables>
  storage: StorageWithFarFiles
  jobs: Jobs
  log: FastifyBaseLogger
  config: Pick<Config, 's3'>
}

/** All files, because somebody asked. */
export const checkKind = 'check-files'
/** After each automatic backup; see [Note: Files are read again by themselves]. */
export const rereadKind = 'reread-files'

export type CheckPayload = { startedAt: number }
type Check = CheckPayload & { signal: AbortSignal }

/** Each page is looked for among all rows: a million take a second of a reading thread. */
const page = 5000
const rereadingMs = 10 * 60_000

export function workOnChecks(services: Services) {
  const { jobs } = services
  jobs.work<CheckPayload>(checkKind, { concurrency: 1 }, ({ startedAt }, { signal }) =>
    checkFiles(services, { startedAt, signal }),
  )
  jobs.work<CheckPayload>(rereadKind, { concurrency: 1 }, ({ startedAt }, { signal }) =>
    rereadFiles(services, { startedAt, signal }),
  )
}

/**
 * [Note: Files are read again by themselves]
 * A disk may lose what it was given, and a backup that has a file already does not read the library's. So after each
 * automatic backup the files are read, the longest unread first, until all are or the time is used up. Others go first:
 * between two files it rests for as long as the one before took, and it leaves the rest to the next backup when a restore
 * runs or somebody has asked for the whole check.
 */
export async function rereadFiles(services: Services, { startedAt, signal }: Check, withinMs = rereadingMs) {
  const { db, storage, config } = services
  if (isReadingFree(config)) await checkFiles(services, { startedAt, signal }, choose)

  async function* choose(files: AsyncIterable<Unread>) {
    let spentMs = 0
    for await (const file of files) {
      signal.throwIfAborted()
      if ((await isLibraryPaused(db)) || (await findCheck(db))) return
      if (await isOnlyFar(storage, file.sha256)) continue
      const begun = performance.now()
      yield file
      const tookMs = performance.now() - begun
      spentMs += tookMs
      if (spentMs >= withinMs) return
      await delay(tookMs, undefined, { signal })
    }
  }
}

/** A rented bucket reads its objects again itself, and lets others pay for it; a store in one's own house (no https) may not. */
const isReadingFree = ({ s3 }: Services['config']) => !s3 || s3.endpoint?.startsWith('http:')

/** At ImageKit, which is paid for what it delivers. */
const isOnlyFar = async (storage: StorageWithFarFiles, sha256: string) =>
  !(await storage.near.stat(sha256)) && (await storage.stat(sha256)) !== null

export async function findCheck(db: Db) {
  const job = await db
    .selectFrom('jobs')
    .select('payload')
    .where('kind', '=', checkKind)
    .where('status', 'in', ['waiting', 'active'])
    .executeTakeFirst()
  return job && (JSON.parse(job.payload) as CheckPayload)
}

type Unread = { sha256: string; created_at: number }

/**
 * The longest unread first, each once, whatever came of it. A time in the future was written by a clock that ran ahead:
 * nobody knows when that was.
 */
async function* listUnread(db: Db, since: number): AsyncGenerator<Unread> {
  const now = Date.now()
  for (let last = { read_at: -1, sha256: '' }; ; ) {
    const files = await db
      .selectFrom((from) =>
        from
          .selectFrom('blobs')
          .select(['sha256', 'created_at'])
          .select(({ eb }) =>
            eb.case().when('checked_at', '<', since).then(eb.ref('checked_at')).else(0).end().as('read_at'),
          )
          .where(({ eb, or }) =>
            or([eb('checked_at', 'is', null), eb('checked_at', '<', since), eb('checked_at', '>', now)]),
          )
          .as('unread'),
      )
      .select(['sha256', 'created_at'])
      .select(({ ref }) => ref('read_at').$castTo<number>().as('read_at'))
      .where(({ eb, or, and }) =>
        or([eb('read_at', '>', last.read_at), and([eb('read_at', '=', last.read_at), eb('sha256', '>', last.sha256)])]),
      )
      .orderBy('read_at')
      .orderBy('sha256')
      .limit(page)
      .execute()
    yield* files
    if (files.length < page) return
    last = files.at(-1)!
  }
}

/** Reads what was not read since the check began, so one that was cut off goes on where it was. */
async function checkFiles(
  { db, slowReads, storage, log }: Services,
  { startedAt, signal }: Check,
  choose = (files: AsyncIterable<Unread>) => files,
) {
  const since = Math.min(startedAt, Date.now())
  for await (const { sha256, created_at } of choose(listUnread(slowReads, since))) {
    signal.throwIfAborted()
    const state = await examineFile(storage, sha256, signal)
    const { numUpdatedRows } = await db
      .updateTable('blobs')
      // Also when the clock is set back meanwhile: it would come up again and again.
      .set({ state, checked_at: Math.max(Date.now(), since) })
      .where('sha256', '=', sha256)
      // Whoever has brought the bytes again has made it young: then nothing is said about what was there before.
      .where('created_at', '=', created_at)
      .executeTakeFirst()
    if (state !== 'ok' && numUpdatedRows > 0n) log.warn({ sha256, state }, 'stored file found damaged')
  }
}

async function examineFile(storage: Storage, sha256: string, signal: AbortSignal): Promise<BlobState> {
  if (await storage.verify(sha256, signal)) return 'ok'
  return (await storage.stat(sha256)) ? 'damaged' : 'missing'
}
