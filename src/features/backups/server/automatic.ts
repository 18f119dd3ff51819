import { type CheckPayload, rereadKind } from '#features/media/server/check-files.ts'
import { AppError } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { type BackupFrequency, keptAutomaticBackups } from '../contract.ts'
import type { BackupServices } from './backup-services.ts'
import { createBackup } from './create-backup.ts'
import { removeBackup } from './remove-backup.ts'
import { findRestoredBackup } from './restores/restores-store.ts'
import { type BackupRow, hasSlot, listBackups, loadFrequency, saveFrequency } from './store.ts'

export const automaticKind = 'automatic-backup'
export const drillKind = 'backup-drill'
export const sweepKind = 'sweep-backups'

const rhythms: Record<BackupFrequency, string> = {
  '12hours': '0 3,15 * * *',
  daily: '0 3 * * *',
  weekly: '0 3 * * 0',
}

/** The product should be up and looked at before it starts to work on its first backup. */
const firstBackupAfterMs = 20_000
const hourMs = 3600_000

type Services = BackupServices & { jobs: Jobs }

/** The queue gives a turn to one process only; the slot sees to it that a turn is not taken twice. */
export async function scheduleBackups({ db, jobs, backupFolder, log }: Services) {
  await jobs.schedule(automaticKind, rhythms[await loadFrequency(db)])
  await jobs.schedule(drillKind, '41 4 * * 1')
  const tellLeftOut = (id: string, why: AppError) =>
    log.warn({ backup: id, err: why }, 'backup is not listed, since nothing is known of it')
  const backups = await listBackups(db, backupFolder, tellLeftOut).catch((error) => {
    if (!(error instanceof AppError)) throw error
  })
  // Its disk is away or refuses, as the System tab tells: when that is mended, the next turn finds it.
  if (!backups) return
  const hasAutomatic = backups.some(({ type }) => type === 'automatic')
  if (!hasAutomatic) await jobs.enqueue(db, automaticKind, {}, { key: 'first', runAt: Date.now() + firstBackupAfterMs })
}

export async function changeFrequency({ db, jobs }: Pick<Services, 'db' | 'jobs'>, frequency: BackupFrequency) {
  await saveFrequency(db, frequency)
  await jobs.schedule(automaticKind, rhythms[frequency])
}

export async function makeAutomaticBackup(services: Services, signal?: AbortSignal, now = Date.now()) {
  const { db, backupFolder, jobs } = services
  const slot = slotOf(await loadFrequency(db), now)
  const before = await listBackups(db, backupFolder)
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
    // Another process was at the same turn and came first.
    if (dialectOf(db).isUniqueViolation(error)) return
    throw error
  }
  const wanted = await findRestoredBackup(db)
  // The one that is being restored is read until the end; it is surplus the next time.
  for (const { id } of surplusOf(await listBackups(db, backupFolder)))
    if (id !== wanted) await removeBackup(services, id)
  // By itself: what keeps it from sweeping is told, and is no fault of the backup.
  await jobs.enqueue(db, sweepKind, {}, { key: 'backup' })
  // The very first one is tried out at once: a library should not wait a week to know that it can be restored.
  if (!before.some(({ proven_at }) => proven_at !== null)) await jobs.enqueue(db, drillKind, {}, { key: 'first' })
}

/** A clock that ran ahead made the ones of the future: they are older than they say, and do not push the true ones out. */
function surplusOf(newestFirst: BackupRow[]) {
  const automatic = newestFirst.filter(({ type }) => type === 'automatic')
  const isOfFuture = ({ created_at }: BackupRow) => created_at > Date.now()
  return [...automatic.filter((row) => !isOfFuture(row)), ...automatic.filter(isOfFuture)].slice(keptAutomaticBackups)
}

/** Turns begin at 3 o'clock (UTC), and at 15 o'clock too when there are two a day; weeks on Sunday. */
function slotOf(frequency: BackupFrequency, now: number) {
  const lengthMs = { '12hours': 12, daily: 24, weekly: 7 * 24 }[frequency] * hourMs
  // 1970 began on a Thursday.
  const offsetMs = 3 * hourMs + (frequency === 'weekly' ? 3 * 24 * hourMs : 0)
  const start = Math.floor((now - offsetMs) / lengthMs) * lengthMs + offsetMs
  return `${frequency}:${new Date(start).toISOString().slice(0, 13)}`
}
