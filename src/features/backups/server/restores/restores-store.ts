import { conflict } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Db, Row } from '#platform/server/db/tables.ts'
import type { Job } from '#platform/server/jobs/jobs.ts'
import type { RestoredCounts, RestoreProgress } from '../../contract.ts'

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

export async function tellProgress(db: Db, id: number, told: { step: string; progress: number; message: string }) {
  await changeRunning(db, id)
    .set({ ...told, progress: Math.round(told.progress), updated_at: Date.now() })
    .execute()
}

/** The job as which a restore runs; whoever takes it over from a process that is believed dead counts one attempt more. */
export type Holder = Pick<Job, 'id' | 'attempt'>

const changeRunning = (db: Db, id: number) =>
  db.updateTable('restores').where('id', '=', id).where('running', 'is not', null)

const changeHeld = (db: Db, id: number, { id: jobId, attempt }: Holder) =>
  changeRunning(db, id).where(({ exists, selectFrom }) =>
    exists(selectFrom('jobs').select('jobs.id').where('jobs.id', '=', jobId).where('jobs.attempts', '=', attempt)),
  )

/** Inside the transaction that replaces all rows: it and the end of the restore are one. */
export async function completeRestore(
  db: Db,
  id: number,
  holder: Holder,
  { adminId, counts }: { adminId: number; counts: RestoredCounts },
) {
  const { numUpdatedRows } = await changeHeld(db, id, holder)
    .set({
      running: null,
      state: 'complete',
      step: 'Complete',
      progress: 100,
      message: 'Restore complete',
      admin_id: adminId,
      counts: JSON.stringify(counts),
      updated_at: Date.now(),
    })
    .executeTakeFirst()
  if (numUpdatedRows === 0n)
    throw new Error('Expected a restore that this process works on; another one has it, or it has ended')
}

/** The library is as it was. Whoever has lost the job to another process has nothing to say about it any more. */
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
  const { progress, message, step } = row
  return { progress, message, step, isRestoring: row.running !== null }
}
