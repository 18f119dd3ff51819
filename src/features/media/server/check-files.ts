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

/** A check of all files that an administrator requested. */
export const checkKind = 'check-files'
/** Runs after each automatic backup; see [Note: Files are reread automatically]. */
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
  // The failure may be temporary; a retry reads only the remaining files.
  if (unreadable > 0) throw unreadableFiles(unreadable, 503)
}

/**
 * [Note: Files are reread automatically]
 * Disks may lose data, and an incremental backup does not read files that it already has. So after each automatic backup
 * files are read for a limited time, the one unread for longest first. It pauses between files to spare the disk, and ends
 * early for a restore or a requested check.
 */
export async function rereadFiles(services: Services, { startedAt, signal }: Check, withinMs = rereadingMs) {
  const { db, slowReads, config } = services
  if (!isReadingFree(config)) return
  const since = Math.min(startedAt, Date.now())
  const files = choose(listFilesToCheck(slowReads, { since, isHere: true }))
  const unreadable = await readFiles(services, files, { since, signal, examine: examineLocal })
  // Not retried before the next backup, as each retry would read for the full time again.
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

/** Cloud buckets verify their objects themselves and charge for downloads. A local S3 server (no https) may do neither. */
const isReadingFree = ({ s3 }: Services['config']) => !s3 || s3.endpoint?.startsWith('http:')

/** All files of a folder may have the same failure, and every retry would log them again. */
const maxNamed = 10

function unreadableFiles(count: number, status: number) {
  const named = count > maxNamed ? `the first ${maxNamed}` : count === 1 ? 'it' : 'them'
  const sentence = `${countOf(count, 'file')} could not be read. The log lists ${named} with the reason. All other files were checked.`
  return new AppError('unreadable-files', status, sentence)
}

export async function findCheck(db: Db) {
  const [check] = await listPending<CheckPayload>(db, checkKind)
  return check
}

/** A single refusal by ImageKit may concern one file; this many in a row concern all, and the check is retried later. */
const maxConsecutiveRefusals = 3

/**
 * Records the result of each file, so that an interrupted check continues where it stopped. Unreadable files do not stop the
 * check; returns their number.
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
      await storage.marker.read() // an unreachable bucket would fail for every file, each after a timeout
      refusedInARow = isAway(error) ? refusedInARow + 1 : 0
      if (refusedInARow === maxConsecutiveRefusals) throw error
      if (++unreadable <= maxNamed) log.warn({ err: error, sha256 }, 'stored file was not readable')
      continue
    }
    refusedInARow = 0
    if (state === null) continue
    // Not earlier than `since`, so that a clock that is set back does not list the file again.
    const checked_at = Math.max(Date.now(), since)
    const isRecorded = await recordState(db, file, { state, checked_at })
    if (state !== 'ok' && isRecorded) log.warn({ sha256, state }, 'stored file found damaged')
  }
  return unreadable
}

/** Returns null if the file was not read. */
type Examine = (storage: StorageWithRemoteFiles, sha256: string, signal: AbortSignal) => Promise<BlobState | null>

const examine: Examine = async (storage, sha256, signal) => {
  if (await storage.verify(sha256, signal)) return 'ok'
  return (await storage.stat(sha256)) ? 'damaged' : 'missing'
}

/** A file missing locally may still be at ImageKit, which charges for downloads, so it is not read from there. */
const examineLocal: Examine = async (storage, sha256, signal) => {
  const isElsewhere = !(await storage.primary.stat(sha256)) && (await storage.stat(sha256)) !== null
  return isElsewhere ? null : examine(storage, sha256, signal)
}
