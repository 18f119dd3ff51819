import type { Kysely } from 'kysely'
import { type AppError, conflict } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import { loadSetting, saveSetting } from '#platform/server/db/settings.ts'
import type { Db, Row, Tables } from '#platform/server/db/tables.ts'
import type { Job } from '#platform/server/jobs/jobs.ts'
import { type Backup, BackupFrequency, type Restored, type RestoreProgress } from '../contract.ts'
import { damagedBackup, isFaultOfOneBackup } from './folder/backup-faults.ts'
import type { BackupFolder } from './folder/backup-folder.ts'
import type { Manifest } from './folder/snapshots.ts'

export type BackupRow = Row<'backups'>

export async function insertBackup(db: Db, manifest: Manifest, provenAt: string | null = null) {
  const row = {
    id: manifest.id,
    type: manifest.type,
    slot: manifest.slot,
    note: manifest.note,
    created_at: Date.parse(manifest.createdAt),
    size: manifest.fileBytes + manifest.database.bytes,
    new_bytes: manifest.newBytes,
    user_count: manifest.users,
    media_count: manifest.media,
    collection_count: manifest.collections,
    missing_count: manifest.missingFiles,
    verified_at: Date.parse(manifest.verifiedAt),
    proven_at: provenAt === null ? null : Date.parse(provenAt),
  }
  await db
    .insertInto('backups')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/**
 * The folder is the source of truth, also after a reset or with a new database. A backup without a row whose manifest
 * cannot be read (damaged, newer version, no permission) is left out and passed to `onLeftOut`.
 */
export async function listBackups(
  db: Kysely<Tables>,
  folder: BackupFolder,
  onLeftOut: (id: string, why: AppError) => void = () => {},
): Promise<BackupRow[]> {
  // Rows are read before folders: a row is committed after its folder exists, so a row without one is a deleted backup.
  const known = await db.selectFrom('backups').selectAll().execute()
  const ids = new Set(await folder.listSnapshotIds())
  for (const { id } of known.filter((row) => !ids.has(row.id))) await deleteBackupRow(db, id)
  for (const id of ids.difference(new Set(known.map((row) => row.id)))) {
    await adopt(db, folder, id).catch((error) => {
      if (!isFaultOfOneBackup(error)) throw error
      onLeftOut(id, error)
    })
  }
  return db.selectFrom('backups').selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc').execute()
}

async function adopt(db: Kysely<Tables>, folder: BackupFolder, id: string) {
  const manifest = await folder.readManifest(id)
  if (!manifest) throw damagedBackup('it has no manifest.json')
  // Without it, the next drill proves the backup again.
  const provenAt = await folder.readProven(id).catch(() => null)
  try {
    await insertBackup(db, { ...manifest, id }, provenAt)
  } catch (error) {
    if (!dialectOf(db).isUniqueViolation(error)) throw error
    // Another database made this backup for the same slot, so it is listed without one.
    await insertBackup(db, { ...manifest, id, slot: null }, provenAt)
  }
}

export async function deleteBackupRow(db: Db, id: string) {
  await db.deleteFrom('backups').where('id', '=', id).execute()
}

export async function hasSlot(db: Db, slot: string) {
  return Boolean(await db.selectFrom('backups').select('id').where('slot', '=', slot).executeTakeFirst())
}

export async function setProven(db: Db, id: string, provenAt: number) {
  await db.updateTable('backups').set({ proven_at: provenAt }).where('id', '=', id).execute()
}

const iso = (time: number) => new Date(time).toISOString()

export function toBackup(row: BackupRow): Backup {
  return {
    id: row.id,
    timestamp: iso(row.created_at),
    type: row.type,
    size: row.size,
    newBytes: row.new_bytes,
    mediaCount: row.media_count,
    collectionCount: row.collection_count,
    userCount: row.user_count,
    missingCount: row.missing_count,
    note: row.note,
    verifiedAt: iso(row.verified_at),
    provenAt: row.proven_at === null ? null : iso(row.proven_at),
  }
}

const frequencySetting = 'backup-frequency'

export async function loadFrequency(db: Db): Promise<BackupFrequency> {
  return BackupFrequency.catch('daily').parse(await loadSetting(db, frequencySetting))
}

export async function saveFrequency(db: Db, frequency: BackupFrequency) {
  await saveSetting(db, frequencySetting, frequency)
}

export type RestoreRow = Row<'restores'>

export async function insertRestore(
  db: Db,
  { backupId, adminId, skipsSafety }: { backupId: string; adminId: number; skipsSafety: boolean },
) {
  const now = Date.now()
  try {
    return await db
      .insertInto('restores')
      .values({
        running: 'yes',
        backup_id: backupId,
        admin_id: adminId,
        skips_safety: skipsSafety ? 1 : 0,
        state: 'running',
        step: 'Preparing',
        progress: 0,
        message: 'Preparing the restore',
        started_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  } catch (error) {
    throw dialectOf(db).isUniqueViolation(error) ? conflict('A restore is already running.') : error
  }
}

export async function findRestore(db: Db, id: number) {
  return db.selectFrom('restores').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The backup that is being restored now, in any process. */
export async function findRestoredBackup(db: Db) {
  const row = await db.selectFrom('restores').select('backup_id').where('running', 'is not', null).executeTakeFirst()
  return row?.backup_id
}

export async function saveProgress(db: Db, id: number, told: { step: string; progress: number; message: string }) {
  await changeRunning(db, id)
    .set({ ...told, progress: Math.round(told.progress), updated_at: Date.now() })
    .execute()
}

/** The job that runs a restore. A process that takes it over has a higher attempt. */
export type Holder = Pick<Job, 'id' | 'attempt'>

const changeRunning = (db: Db, id: number) =>
  db.updateTable('restores').where('id', '=', id).where('running', 'is not', null)

const changeHeld = (db: Db, id: number, { id: jobId, attempt }: Holder) =>
  changeRunning(db, id).where(({ exists, selectFrom }) =>
    exists(selectFrom('jobs').select('jobs.id').where('jobs.id', '=', jobId).where('jobs.attempts', '=', attempt)),
  )

/** Runs in the transaction that replaces all rows, so both are committed together. */
export async function completeRestore(
  db: Db,
  id: number,
  holder: Holder,
  { adminId, restored }: { adminId: number; restored: Restored },
) {
  const { numUpdatedRows } = await changeHeld(db, id, holder)
    .set({
      running: null,
      state: 'complete',
      step: 'Complete',
      progress: 100,
      message: 'Restore complete',
      admin_id: adminId,
      counts: JSON.stringify(restored),
      updated_at: Date.now(),
    })
    .executeTakeFirst()
  if (numUpdatedRows === 0n)
    throw new Error('Expected a restore that this process works on; another one has it, or it has ended')
}

/** The library is unchanged. A process that lost the job to another one changes nothing. */
export async function failRestore(db: Db, id: number, message: string, holder?: Holder) {
  const failed = {
    running: null,
    state: 'failed',
    step: 'Error',
    progress: 0,
    message,
    updated_at: Date.now(),
  } as const
  await (holder ? changeHeld(db, id, holder) : changeRunning(db, id)).set(failed).execute()
}

export async function loadProgress(db: Db): Promise<RestoreProgress> {
  const row = await db.selectFrom('restores').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst()
  if (!row) return { progress: 0, message: 'No restore is running', step: 'Idle', isRestoring: false }
  const { progress, message, step, counts } = row
  const restored: Restored | null = counts && JSON.parse(counts)
  const { healedFiles, lostFiles } = restored ?? {}
  return { progress, message, step, isRestoring: row.running !== null, healedFiles, lostFiles }
}
