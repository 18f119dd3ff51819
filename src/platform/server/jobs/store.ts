import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../db/dialect.ts'
import { isLeaseOver, leaseEnd } from '../db/lease.ts'
import type { Db, Row, Tables } from '../db/tables.ts'

/** `ownerId`: the user who waits for the job; see [Note: Owners take turns]. */
export type Enqueued = { key?: string; runAt?: number; ownerId?: number }

const noOwner = 0

export async function insertJob(db: Db, kind: string, payload: unknown, { key, runAt, ownerId }: Enqueued = {}) {
  const now = Date.now()
  await db
    .insertInto('jobs')
    .values({
      kind,
      key: key ?? null,
      owner_id: ownerId ?? noOwner,
      payload: JSON.stringify(payload),
      status: 'waiting',
      run_at: runAt ?? now,
      leased_until: null,
      lease: null,
      error: null,
      created_at: now,
      updated_at: now,
    })
    // A literal, because with a bound value the database cannot tell which partial index is meant.
    .onConflict((conflict) => conflict.columns(['kind', 'key']).where('status', '=', sql.lit('waiting')).doNothing())
    .execute()
}

/**
 * The kinds that have a job to take. One query asks for all of them, since a poll follows every job and finds nothing for most
 * kinds; each part is one index lookup, however long the queue is.
 */
export async function listDueKinds(db: Kysely<Tables>, kinds: string[], leaseMs: number): Promise<string[]> {
  if (kinds.length === 0) return []
  const wanted = sql.join(kinds.map((kind) => sql`(${kind})`))
  const { rows } = await sql<{ kind: string }>`
    SELECT column1 AS kind FROM (VALUES ${wanted}) AS wanted
    WHERE EXISTS (SELECT 1 FROM jobs WHERE kind = column1 AND status = 'waiting' AND run_at <= ${Date.now()})
      OR EXISTS (SELECT 1 FROM jobs WHERE kind = column1 AND status = 'active' AND ${isLeaseOver(db, 'leased_until', leaseMs)})
  `.execute(db)
  return rows.map(({ kind }) => kind)
}

export type LeasedJob = Pick<Row<'jobs'>, 'id' | 'kind' | 'owner_id' | 'payload' | 'attempts' | 'lease'>

/**
 * [Note: Owners take turns]
 * An owner with one job does not wait for an owner with thousands: after one owner's job comes a job of the owner with the
 * next higher id that has one due, and after the last owner the first. Both lookups use the index.
 */
function nextOwner(kind: string, servedLast: number) {
  const due = sql`SELECT owner_id FROM jobs WHERE kind = ${kind} AND status = 'waiting' AND run_at <= ${Date.now()}`
  const first = sql`ORDER BY owner_id, run_at, id LIMIT 1`
  return sql<number>`coalesce((${due} AND owner_id > ${servedLast} ${first}), (${due} ${first}))`
}

type Wanted = { kind: string; lease: string; leaseMs: number; limit: number; except: number[]; servedLast?: number }

/**
 * Takes due jobs of the owner who follows `servedLast`, or jobs whose lease has expired, except those that this process is
 * still running (`except`). Both are read in the order of an index, so a long queue costs no more than a short one.
 */
export async function leaseJobs(
  db: Kysely<Tables>,
  { kind, lease, leaseMs, limit, except, servedLast }: Wanted,
): Promise<LeasedJob[]> {
  const { lockFreeRows } = dialectOf(db)
  const ofKind = (status: 'waiting' | 'active') =>
    lockFreeRows(
      db
        .selectFrom('jobs')
        .select(['id', 'run_at'])
        .where('kind', '=', kind)
        // A literal, to match the condition of the partial index.
        .where('status', '=', sql.lit(status))
        .orderBy('run_at')
        .orderBy('id')
        .limit(limit),
    )
  return (
    db
      // Materialized, because PostgreSQL may run a plain subquery again for each row and exceed the limit.
      .with(
        (name) => name('waiting').materialized(),
        () =>
          ofKind('waiting')
            .where('run_at', '<=', Date.now())
            .$if(servedLast !== undefined, (query) => query.where('owner_id', '=', nextOwner(kind, servedLast!))),
      )
      .with(
        (name) => name('expired').materialized(),
        () =>
          ofKind('active')
            .where(isLeaseOver(db, 'leased_until', leaseMs))
            .$if(except.length > 0, (query) => query.where('id', 'not in', except)),
      )
      .with(
        (name) => name('due').materialized(),
        (query) =>
          query
            .selectFrom((from) =>
              from.selectFrom('waiting').selectAll().unionAll(from.selectFrom('expired').selectAll()).as('either'),
            )
            .select('id')
            .orderBy('run_at')
            .orderBy('id')
            .limit(limit),
      )
      .updateTable('jobs')
      .set((set) => ({
        status: 'active',
        lease,
        leased_until: leaseEnd(db, leaseMs),
        attempts: set('attempts', '+', 1),
        updated_at: Date.now(),
      }))
      .where('id', 'in', (select) => select.selectFrom('due').select('id'))
      .returning(['id', 'kind', 'owner_id', 'payload', 'attempts', 'lease'])
      .execute()
  )
}

/** After the clock was set back, waiting jobs keep their intended delay instead of waiting for the wrong time. */
export async function realignJobs(db: Db, now: number) {
  await db
    .updateTable('jobs')
    .set({ run_at: sql<number>`run_at - (updated_at - ${now})`, updated_at: now })
    .where('status', '=', 'waiting')
    .where('updated_at', '>', now)
    .execute()
}

type Held = Pick<LeasedJob, 'id' | 'lease'>

/** Updates the job only while the lease is still ours. */
const changeHeld = (db: Db, { id, lease }: Held) =>
  db.updateTable('jobs').where('id', '=', id).where('lease', '=', lease)

/** Returns false when the lease was lost. */
export async function extendLease(db: Db, job: Held, leaseMs: number) {
  const { numUpdatedRows } = await changeHeld(db, job)
    .set({ leased_until: leaseEnd(db, leaseMs) })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

// The key is cleared, because the same job may have been enqueued again meanwhile.
const waiting = { status: 'waiting', lease: null, leased_until: null, key: null } as const

/** After a crash. The attempt counts, so that a job that crashes its process is given up after a few attempts. */
export async function releaseAllLeases(db: Db) {
  await db.updateTable('jobs').set(waiting).where('status', '=', 'active').execute()
}

/** In an orderly stop. The attempt does not count, and another process starts the job from the beginning. */
export async function giveBack(db: Db, job: Held) {
  await changeHeld(db, job)
    .set((set) => ({ ...waiting, attempts: set('attempts', '-', 1) }))
    .execute()
}

export async function completeJob(db: Db, { id, lease }: Held) {
  await db.deleteFrom('jobs').where('id', '=', id).where('lease', '=', lease).execute()
}

export async function failJob(db: Db, job: Held, message: string) {
  await changeHeld(db, job)
    .set({ status: 'failed', error: message, lease: null, leased_until: null, updated_at: Date.now() })
    .execute()
}

export async function retryLater(db: Db, job: Held, { message, runAt }: { message: string; runAt: number }) {
  await changeHeld(db, job)
    .set({ ...waiting, run_at: runAt, error: message, updated_at: Date.now() })
    .execute()
}

/** The payloads of the waiting and running jobs of a kind. */
export async function listPending<Payload>(db: Db, kind: string): Promise<Payload[]> {
  const jobs = await db
    .selectFrom('jobs')
    .select('payload')
    .where('kind', '=', kind)
    .where('status', 'in', ['waiting', 'active'])
    .execute()
  return jobs.map(({ payload }) => JSON.parse(payload))
}

/** Counts jobs by kind and status for administrators. */
export async function countJobs(db: Db) {
  return db
    .selectFrom('jobs')
    .select((select) => ['kind', 'status', select.fn.countAll<number>().as('count')])
    .groupBy(['kind', 'status'])
    .execute()
}

export async function listFailedJobs(db: Db) {
  return db
    .selectFrom('jobs')
    .select(['id', 'kind', 'error', 'attempts', 'updated_at'])
    .where('status', '=', 'failed')
    .orderBy('updated_at', 'desc')
    .limit(100)
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
