import { type CheckPayload, rereadKind } from '#features/media/server/check-files.ts'
import { AppError } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { type BackupFrequency, keptAutomaticBackups } from '../contract.ts'
import type { BackupServices } from './backup-services.ts'
import { createBackup, removeBackup } from './backups.ts'
import { type BackupRow, findRestoredBackup, hasSlot, listBackups, loadFrequency, saveFrequency } from './store.ts'

export const automaticKind = 'automatic-backup'
export const drillKind = 'backup-drill'
export const sweepKind = 'sweep-backups'

const schedules: Record<BackupFrequency, string> = {
  '12hours': '0 3,15 * * *',
  daily: '0 3 * * *',
  weekly: '0 3 * * 0',
}

/** The first backup should not slow down the first visit after the installation. */
const firstBackupAfterMs = 20_000
const hourMs = 3600_000

type Services = BackupServices & { jobs: Jobs }

/** The queue gives each run to one process; the slot prevents a second backup for the same run. */
export async function scheduleBackups({ db, jobs, backupFolder, log }: Services) {
  await jobs.schedule(automaticKind, schedules[await loadFrequency(db)])
  await jobs.schedule(drillKind, '41 4 * * 1')
  const logLeftOut = (id: string, why: AppError) =>
    log.warn({ backup: id, err: why }, 'unreadable backup was not listed')
  const backups = await listBackups(db, backupFolder, logLeftOut).catch((error) => {
    if (!(error instanceof AppError)) throw error
  })
  // The backup disk is unmounted or read-only, which the System tab shows; the next scheduled run tries again.
  if (!backups) return
  const hasAutomatic = backups.some(({ type }) => type === 'automatic')
  if (!hasAutomatic) await jobs.enqueue(db, automaticKind, {}, { key: 'first', runAt: Date.now() + firstBackupAfterMs })
}

export async function changeFrequency({ db, jobs }: Pick<Services, 'db' | 'jobs'>, frequency: BackupFrequency) {
  await saveFrequency(db, frequency)
  await jobs.schedule(automaticKind, schedules[frequency])
}

export async function makeAutomaticBackup(services: Services, signal?: AbortSignal, now = Date.now()) {
  const { db, backupFolder, jobs } = services
  const slot = slotOf(await loadFrequency(db), now)
  const existing = await listBackups(db, backupFolder)
  if (await hasSlot(db, slot)) return
  try {
    await createBackup(services, {
      type: 'automatic',
      slot,
      signal,
      onMade: (transaction) =>
        jobs.enqueue(transaction, rereadKind, { startedAt: Date.now() } satisfies CheckPayload, { key: 'backup' }),
    })
  } catch (error) {
    // Another process has made the backup for this slot.
    if (dialectOf(db).isUniqueViolation(error)) return
    throw error
  }
  const restoring = await findRestoredBackup(db)
  // A backup that is being restored is removed the next time.
  for (const { id } of surplusOf(await listBackups(db, backupFolder)))
    if (id !== restoring) await removeBackup(services, id)
  // A job of its own, since a failing sweep does not make the backup fail.
  await jobs.enqueue(db, sweepKind, {}, { key: 'backup' })
  // The first backup is proven immediately and not only at the weekly drill.
  if (!existing.some(({ proven_at }) => proven_at !== null)) await jobs.enqueue(db, drillKind, {}, { key: 'first' })
}

/** Backups dated in the future come from a wrong clock; they count as the oldest and are removed first. */
function surplusOf(newestFirst: BackupRow[]) {
  const automatic = newestFirst.filter(({ type }) => type === 'automatic')
  const isOfFuture = ({ created_at }: BackupRow) => created_at > Date.now()
  return [...automatic.filter((row) => !isOfFuture(row)), ...automatic.filter(isOfFuture)].slice(keptAutomaticBackups)
}

/** Slots start at 03:00 UTC, and at 15:00 UTC too for two a day; weekly ones on Sunday. */
function slotOf(frequency: BackupFrequency, now: number) {
  const lengthMs = { '12hours': 12, daily: 24, weekly: 7 * 24 }[frequency] * hourMs
  // 1970 began on a Thursday.
  const offsetMs = 3 * hourMs + (frequency === 'weekly' ? 3 * 24 * hourMs : 0)
  const start = Math.floor((now - offsetMs) / lengthMs) * lengthMs + offsetMs
  return `${frequency}:${new Date(start).toISOString().slice(0, 13)}`
}
