import type { Kysely } from 'kysely'
import { dialectOf } from '../db/dialect.ts'
import type { Db, Tables } from '../db/tables.ts'
import { leaseMs } from './policy.ts'

export type Enqueued = { key?: string; runAt?: number }

export async function insertJob(db: Db, kind: string, payload: unknown, { key, runAt }: Enqueued = {}) {
  const now = Date.now()
  await db
    .insertInto('jobs')
    .values({
      kind,
      key: key ?? null,
      payload: JSON.stringify(payload),
      status: 'waiting',
      run_at: runAt ?? now,
      leased_until: null,
      lease: null,
      error: null,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.columns(['kind', 'key']).where('status', '=', 'waiting').doNothing())
    .execute()
}

export async function leaseJobs(
  db: Kysely<Tables>,
  { kind, lease, limit }: { kind: string; lease: string; limit: number },
) {
  const now = Date.now()
  const due = db
    .selectFrom('jobs')
    .select('id')
    .where('kind', '=', kind)
    .where((where) =>
      where.or([
        where.and([where('status', '=', 'waiting'), where('run_at', '<=', now)]),
        where.and([where('status', '=', 'active'), where('leased_until', '<', now)]),
      ]),
    )
    .orderBy('run_at')
    .orderBy('id')
    .limit(limit)
  return db
    .updateTable('jobs')
    .set((set) => ({
      status: 'active',
      lease,
      leased_until: now + leaseMs,
      attempts: set('attempts', '+', 1),
      updated_at: now,
    }))
    .where('id', 'in', dialectOf(db).lockFreeRows(due))
    .returning(['id', 'payload', 'attempts'])
    .execute()
}

export async function extendLease(db: Db, id: number, lease: string) {
  await db
    .updateTable('jobs')
    .set({ leased_until: Date.now() + leaseMs })
    .where('id', '=', id)
    .where('lease', '=', lease)
    .execute()
}

/** After a crash: the attempt counts, so that a job which ends the process does so a few times only. */
export async function releaseAllLeases(db: Db) {
  await db
    .updateTable('jobs')
    .set({ status: 'waiting', lease: null, leased_until: null, key: null })
    .where('status', '=', 'active')
    .execute()
}

/** In an orderly stop: another process takes the job up as if it had never been begun. */
export async function giveBack(db: Db, id: number, lease: string) {
  await db
    .updateTable('jobs')
    .set((set) => ({
      status: 'waiting',
      lease: null,
      leased_until: null,
      key: null,
      attempts: set('attempts', '-', 1),
    }))
    .where('id', '=', id)
    .where('lease', '=', lease)
    .execute()
}

export async function completeJob(db: Db, id: number, lease: string) {
  await db.deleteFrom('jobs').where('id', '=', id).where('lease', '=', lease).execute()
}

export async function failJob(db: Db, id: number, lease: string, message: string) {
  await db
    .updateTable('jobs')
    .set({ status: 'failed', error: message, lease: null, leased_until: null, updated_at: Date.now() })
    .where('id', '=', id)
    .where('lease', '=', lease)
    .execute()
}

export async function retryLater(
  db: Db,
  id: number,
  lease: string,
  { message, runAt }: { message: string; runAt: number },
) {
  await db
    .updateTable('jobs')
    // A job with the same key may have been asked for meanwhile; this one goes on without a name.
    .set({
      status: 'waiting',
      run_at: runAt,
      error: message,
      lease: null,
      leased_until: null,
      key: null,
      updated_at: Date.now(),
    })
    .where('id', '=', id)
    .where('lease', '=', lease)
    .execute()
}

/** What administrators see: how much waits, runs and failed, by kind. */
export async function countJobs(db: Db) {
  return db
    .selectFrom('jobs')
    .select((select) => ['kind', 'status', select.fn.countAll<number>().as('count')])
    .groupBy(['kind', 'status'])
    .execute()
}

export async function listFailedJobs(db: Db, limit = 100) {
  return db
    .selectFrom('jobs')
    .select(['id', 'kind', 'error', 'attempts', 'updated_at'])
    .where('status', '=', 'failed')
    .orderBy('updated_at', 'desc')
    .limit(limit)
    .execute()
}

export async function retryFailedJob(db: Db, id: number) {
  const { numUpdatedRows } = await db
    .updateTable('jobs')
    .set({ status: 'waiting', attempts: 0, run_at: Date.now(), updated_at: Date.now(), key: null })
    .where('id', '=', id)
    .where('status', '=', 'failed')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function dismissFailedJob(db: Db, id: number) {
  const { numDeletedRows } = await db
    .deleteFrom('jobs')
    .where('id', '=', id)
    .where('status', '=', 'failed')
    .executeTakeFirst()
  return numDeletedRows > 0n
}
