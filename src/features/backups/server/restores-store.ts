import { conflict } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Db, Row } from '#platform/server/db/tables.ts'
import type { RestoredCounts, RestoreProgress } from '../contract.ts'

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

/** The backup that is being restored at this moment, in whichever process. */
export async function findRestoredBackup(db: Db) {
  const row = await db.selectFrom('restores').select('backup_id').where('running', 'is not', null).executeTakeFirst()
  return row?.backup_id
}

export async function tellProgress(
  db: Db,
  id: number,
  told: { step: string; progress: number; message: string; state?: 'switched'; admin_id?: number },
) {
  await db
    .updateTable('restores')
    .set({ ...told, progress: Math.round(told.progress), updated_at: Date.now() })
    .where('id', '=', id)
    .execute()
}

/** A process that was believed dead may still be at it: only one of them switches. */
export async function claimSwitch(db: Db, id: number) {
  const { numUpdatedRows } = await db
    .updateTable('restores')
    .set({ updated_at: Date.now() })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .where('running', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function endRestore(
  db: Db,
  id: number,
  outcome: { message: string; counts: RestoredCounts } | { message: string },
) {
  const counts = 'counts' in outcome ? outcome.counts : null
  await db
    .updateTable('restores')
    .set({
      running: null,
      state: counts ? 'complete' : 'failed',
      step: counts ? 'Complete' : 'Error',
      progress: counts ? 100 : 0,
      message: outcome.message,
      counts: counts && JSON.stringify(counts),
      updated_at: Date.now(),
    })
    .where('id', '=', id)
    .execute()
}

export async function loadProgress(db: Db): Promise<RestoreProgress> {
  const row = await db.selectFrom('restores').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst()
  if (!row) return { progress: 0, message: 'No restore is running', step: 'Idle', isRestoring: false }
  const { progress, message, step } = row
  return { progress, message, step, isRestoring: row.running !== null }
}
