import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { isAway } from '#engines/imagekit/imagekit-errors.ts'
import type { StorageWithRemoteFiles } from '#engines/storage/remote-files.ts'
import { AppError } from '#platform/errors.ts'
import type { Config } from '#platform/server/config.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { listPending } from '#platform/server/jobs/store.ts'
import { countOf } from '#shared/count.ts'
import { type FileToCheck, listFilesToCheck, recordState } from './blob-store.ts'
import { isLibraryPaused } from './library-pause.ts'
import type { BlobState } from './tables.ts'

type Services = {
  db: Kysely<Tables>
  slowReads: Kysely<Tables>
  storage: StorageWithRemoteFiles
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

async function checkFiles(services: Services, { startedAt, signal }: Check) {
  const since = Math.min(startedAt, Date.now())
  const files = listFilesToCheck(services.slowReads, { since })
  const unreadable = await readFiles(services, files, { since, signal, examine })
  // The fault may pass: the next try reads only these.
  if (unreadable > 0) throw unreadableFiles(unreadable, 503)
}

/**
 * [Note: Files are read again by themselves]
 * A disk may lose what it was given, and a backup that has a file already does not read the library's. So after each
 * automatic backup the files are read, the longest unread first, until all are or the time is used up. Others go first:
 * between two files it rests for as long as the one before took, and it leaves the rest to the next backup when a restore
 * runs or somebody has asked for the whole check.
 */
export async function rereadFiles(services: Services, { startedAt, signal }: Check, withinMs = rereadingMs) {
  const { db, slowReads, config } = services
  if (!isReadingFree(config)) return
  const since = Math.min(startedAt, Date.now())
  const files = choose(listFilesToCheck(slowReads, { since, isHere: true }))
  const unreadable = await readFiles(services, files, { since, signal, examine: examineLocal })
  // Not tried again before the next backup: each try reads for as long once more.
  if (unreadable > 0) throw unreadableFiles(unreadable, 400)

  async function* choose(files: AsyncIterable<FileToCheck>) {
    let spentMs = 0
    for await (const file of files) {
      signal.throwIfAborted()
      if ((await isLibraryPaused(db)) || (await findCheck(db))) return
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

/** All files of a folder may have the same fault, and each try meets it again. */
const mostNamed = 10

function unreadableFiles(count: number, status: number) {
  const named = count > mostNamed ? `the first ${mostNamed}` : count === 1 ? 'it' : 'them'
  const sentence = `${countOf(count, 'file')} could not be read. The log lists ${named} with the reason. All other files were checked.`
  return new AppError('unreadable-files', status, sentence)
}

export async function findCheck(db: Db) {
  const [check] = await listPending<CheckPayload>(db, checkKind)
  return check
}

/** What ImageKit refuses once may be about one file; so often in a row it is about all of them, and is tried again later. */
const mostRefused = 3

/**
 * Writes down what came of each, so a check that was cut off goes on where it was. One that cannot be read does not keep the
 * others from being read; how many there were is answered.
 */
async function readFiles(
  { db, storage, log }: Services,
  files: AsyncIterable<FileToCheck>,
  { since, signal, examine }: { since: number; signal: AbortSignal; examine: Examine },
) {
  let unreadable = 0
  let refusedInARow = 0
  for await (const file of files) {
    const { sha256 } = file
    signal.throwIfAborted()
    let state: BlobState | null
    try {
      state = await examine(storage, sha256, signal)
    } catch (error) {
      signal.throwIfAborted()
      await storage.marker.read() // a bucket that is away fails for every file alike, each after a while
      refusedInARow = isAway(error) ? refusedInARow + 1 : 0
      if (refusedInARow === mostRefused) throw error
      if (++unreadable <= mostNamed) log.warn({ err: error, sha256 }, 'stored file could not be read')
      continue
    }
    refusedInARow = 0
    if (state === null) continue
    // Also when the clock is set back meanwhile: it would come up again and again.
    const checked_at = Math.max(Date.now(), since)
    const isRecorded = await recordState(db, file, { state, checked_at })
    if (state !== 'ok' && isRecorded) log.warn({ sha256, state }, 'stored file found damaged')
  }
  return unreadable
}

/** Null: it was not read. */
type Examine = (storage: StorageWithRemoteFiles, sha256: string, signal: AbortSignal) => Promise<BlobState | null>

const examine: Examine = async (storage, sha256, signal) => {
  if (await storage.verify(sha256, signal)) return 'ok'
  return (await storage.stat(sha256)) ? 'damaged' : 'missing'
}

/** What this place has lost may still be at ImageKit, which is paid for what it delivers. */
const examineLocal: Examine = async (storage, sha256, signal) => {
  const isElsewhere = !(await storage.primary.stat(sha256)) && (await storage.stat(sha256)) !== null
  return isElsewhere ? null : examine(storage, sha256, signal)
}
