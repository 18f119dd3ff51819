import type { Kysely } from 'kysely'
import { explainDiskError } from '#engines/storage/disk.ts'
import type { Storage } from '#engines/storage/storage.ts'
import { type Asking, requireStillAdmin } from '#features/auth/server/sessions.ts'
import { replaceAlone, withoutWriters } from '#features/media/server/library-pause.ts'
import { derivedKeys } from '#features/media/server/media-addresses.ts'
import { enqueueVideoWork } from '#features/media/server/video-work.ts'
import { AppError, withCause } from '#platform/errors.ts'
import type { Db, Row, Tables } from '#platform/server/db/tables.ts'
import type { Events } from '#platform/server/events/events.ts'
import type { Job, Jobs } from '#platform/server/jobs/jobs.ts'
import { countOf } from '#shared/count.ts'
import type { BackupServices } from '../backup-services.ts'
import { createBackup } from '../backups.ts'
import { damagedBackup } from '../folder/backup-faults.ts'
import { listFiles, type Manifest, readPacked } from '../folder/snapshots.ts'
import { checkDocument, filesOf, type LibraryRecord, loadKnown } from '../library/read-document.ts'
import { replaceLibrary } from '../library/replace-library.ts'
import { completeRestore, failRestore, findRestore, insertRestore, type RestoreRow, saveProgress } from '../store.ts'
import { bringFiles } from './bring-files.ts'
import type { RestoreGate } from './restore-gate.ts'

export const restoreKind = 'restore-backup'

export type RestorePayload = {
  restoreId: number
  acceptsLost?: boolean
  /** When all files of the backup were read; a restore that follows at once does not read them again. */
  filesReadAt?: number
}

export type RestoreServices = BackupServices & { jobs: Jobs; events: Events; restoreGate: RestoreGate }

/** A restore whose process ended this often is not started again. */
const maxAttempts = 3
/** A restore with this progress has its safety backup. */
const filesBeginAt = 20
/** Long enough for the safety backup; a restore resumed later reads the files again. */
const recentlyReadMs = 3600_000

/** Blocks changes from here on. The restore is a job, so another process resumes it after a crash. */
export async function startRestore(
  services: RestoreServices,
  {
    acceptsLost = false,
    filesReadAt,
    ...wanted
  }: Asking & { backupId: string; skipsSafety: boolean } & Omit<RestorePayload, 'restoreId'>,
) {
  const { db, jobs, log, backupFolder, restoreGate } = services
  await backupFolder.loadManifest(wanted.backupId)
  const restore = await withoutWriters(db, async (transaction) => {
    await requireStillAdmin(transaction, wanted)
    const row = await insertRestore(transaction, wanted)
    const payload: RestorePayload = { restoreId: row.id, acceptsLost, filesReadAt }
    await jobs.enqueue(transaction, restoreKind, payload)
    return row
  })
  // The restore has started and its job announces it again; until then this process polls.
  await restoreGate.announce().catch((error) => log.warn({ err: error }, 'restore was not announced'))
  return restore.id
}

/**
 * [Note: A restore is one transaction] Files are immutable and named by their hash, so they are brought in first. Then
 * one transaction replaces all rows, marks the restore as complete and queues the follow-up job. So a crash leaves the
 * old library, and the job resumes, or the new one.
 */
export async function runRestore(services: RestoreServices, payload: RestorePayload, job: Job) {
  const { db, log, restoreGate } = services
  const restore = await findRestore(db, payload.restoreId)
  await restoreGate.announce()
  if (restore?.running == null) return
  try {
    await restoreGate.drain()
    // No change may write once progress is reported, so the safety backup has every acknowledged change.
    await withoutWriters(db, (transaction) => saveChecking(transaction, restore.id))
    await replaceAll(services, restore, payload, job)
  } catch (error) {
    // On an orderly shutdown the next start resumes the job.
    if (job.signal.aborted) throw error
    log.error({ err: error, backup: restore.backup_id }, 'restore failed')
    await failRestore(db, restore.id, reasonOf(error), job)
  }
  await restoreGate.announce()
}

/** Called when the process ended during every attempt, or when the failure could not be saved. */
export async function giveUpRestore({ db, restoreGate }: RestoreServices, { restoreId }: RestorePayload) {
  await failRestore(db, restoreId, 'The restore failed after several attempts. The library is unchanged.')
  await restoreGate.announce()
}

const saveChecking = (db: Db, id: number) =>
  saveProgress(db, id, { step: 'Checking', progress: 5, message: 'Reading the backup' })

async function replaceAll(services: RestoreServices, row: RestoreRow, payload: RestorePayload, job: Job) {
  const { acceptsLost, filesReadAt = 0 } = payload
  const { db, jobs, log, events } = services
  if (job.attempt > maxAttempts)
    throw new AppError('crashed', 500, 'The server stopped several times during the restore')
  const manifest = await services.backupFolder.readManifest(row.backup_id)
  if (!manifest) {
    await services.backupFolder.requirePresence()
    throw backupElsewhere(services.backupFolder.root)
  }
  const tell = (step: string, progress: number, message: string) =>
    saveProgress(db, row.id, { step, progress, message })
  const { schema, columns } = await loadKnown(db)
  const path = services.backupFolder.documentPath(manifest.id)
  const records = () => readPacked(path, manifest.database, { schema })

  const { users, media, collections } = await checkDocument(records())
  if (media !== manifest.media || users !== manifest.users) throw damagedBackup('its counts are wrong')
  const hasSafety = row.progress >= filesBeginAt
  if (row.skips_safety === 0 && !hasSafety) {
    await tell('Safety backup', 10, 'Backing up the current library')
    await makeSafetyBackup(services, manifest, job.signal)
  }
  const held = manifest.files - manifest.missingFiles
  await tell('Files', filesBeginAt, 'Copying the files')
  const { missing: lost, healed } = await bringFiles(services, listFiles(path), {
    isThorough: true,
    isJustRead: filesReadAt > Date.now() - recentlyReadMs,
    signal: job.signal,
    onProgress: (done) =>
      tell(
        'Files',
        filesBeginAt + (50 * done) / Math.max(1, held),
        `${done} of ${countOf(held, 'file is', 'files are')} ready`,
      ),
  })
  if (lost.length > 0 && !acceptsLost) {
    const advice = 'Please choose another one, or restore it without them.'
    throw damagedBackup(`${countOf(lost.length, 'of its files is', 'of its files are')} damaged or missing`, advice)
  }
  await tell('Database', 75, 'Replacing the database')
  await replaceAlone(db, async (transaction) => {
    await rememberMissing(transaction, records())
    const actingId = await replaceLibrary(transaction, {
      records: records(),
      columns,
      adminId: row.admin_id,
      madeAt: Date.parse(manifest.createdAt),
    })
    await beginResuming(jobs, transaction)
    const restored = { users, media, collections, healedFiles: healed, lostFiles: lost.length }
    await completeRestore(transaction, row.id, job, { adminId: actingId ?? row.admin_id, restored })
  })
  await events.resetAll()
  log.info({ backup: manifest.id, healed, lost: lost.length }, 'backup restored')
}

/** The administrator has seen the backup in the list, perhaps in another process's folder. */
const backupElsewhere = (root: string) => {
  const sentence = `The backup was not found in ${root}. If it was not deleted, the processes of this library use different folders. All need the same BACKUP_DIR.`
  return new AppError('not-found', 404, sentence)
}

async function makeSafetyBackup(services: RestoreServices, manifest: Manifest, signal: AbortSignal) {
  try {
    const [day, time] = [manifest.createdAt.slice(0, 10), manifest.createdAt.slice(11, 16)]
    const note = `Created before restoring the backup from ${day}, ${time} UTC`
    await createBackup(services, { type: 'manual', note, signal })
  } catch (error) {
    const sentence = `The safety backup failed (${reasonOf(error)}). You can restore without one.`
    throw withCause(new AppError('no-safety-backup', 500, sentence), error)
  }
}

/** Files that the backup had lost: their items are restored and marked as missing. */
async function rememberMissing(db: Db, records: AsyncIterable<LibraryRecord>) {
  for await (const { sha256, bytes, isMissing } of filesOf(records)) {
    if (!isMissing) continue
    await db
      .insertInto('blobs')
      .values({ sha256, bytes, created_at: Date.now(), state: 'missing' })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

function reasonOf(error: unknown) {
  const explained = explainDiskError(error)
  return explained instanceof AppError ? explained.message : 'The restore failed unexpectedly'
}

type Services = { db: Kysely<Tables>; storage: Storage; jobs: Jobs }

export const resumeKind = 'resume-work'

export type ResumePayload = { after?: number }

const batch = 200

/** Runs in the transaction that replaces all rows; queues their unfinished work and missing derived files. */
export function beginResuming(jobs: Jobs, transaction: Db) {
  return jobs.enqueue(transaction, resumeKind, {} satisfies ResumePayload)
}

/** Handles a batch and queues the next one, since checking many videos in a bucket takes long. */
export async function resumeWork({ db, storage, jobs }: Services, { after = 0 }: ResumePayload) {
  const rows = await db
    .selectFrom('media')
    .selectAll()
    .where('id', '>', after)
    .where((where) => where.or([where('type', '=', 'video'), where('ai_status', '=', 'waiting')]))
    .orderBy('id')
    .limit(batch)
    .execute()
  for (const row of rows) {
    if (row.ai_status === 'waiting')
      await jobs.enqueue(db, 'analyze-media', { mediaId: row.id }, { key: String(row.id), ownerId: row.owner_id })
    if (row.type === 'video') await resumeVideo(row)
  }
  if (rows.length === batch) await jobs.enqueue(db, resumeKind, { after: rows.at(-1)!.id } satisfies ResumePayload)

  async function resumeVideo(row: Row<'media'>) {
    const isPlayable = row.playback !== 'rendition' || (await storage.derived.stat(derivedKeys.playable(row.blob)))
    const hasSprite = row.sprite && (await storage.derived.stat(derivedKeys.sprite(row.blob)))
    // Only missing fields are written, because a running job may have written the others meanwhile.
    const missing = { ...(!isPlayable && { playback: 'pending' as const }), ...(!hasSprite && { sprite: null }) }
    const isWhole = Object.keys(missing).length === 0
    if (isWhole && row.playback !== 'pending') return
    const same = db.updateTable('media').where('id', '=', row.id).where('blob', '=', row.blob)
    if (!isWhole) await same.set(missing).execute()
    await enqueueVideoWork(jobs, db, { ...row, ...missing })
  }
}
