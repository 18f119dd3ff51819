import { notFound } from '#platform/errors.ts'
import type { Db, Row } from '#platform/server/db/tables.ts'
import type { RunOutcome } from './each-item.ts'

type NewRun = Pick<Row<'bulk_runs'>, 'id' | 'kind' | 'status'> & {
  ownerId: number
  mediaIds: number[]
  options?: unknown
  outcome?: unknown
}

export async function insertRun(db: Db, { id, kind, status, ownerId, mediaIds, options = {}, outcome = {} }: NewRun) {
  const now = Date.now()
  await db
    .insertInto('bulk_runs')
    .values({
      id,
      owner_id: ownerId,
      kind,
      media_ids: JSON.stringify(mediaIds),
      options: JSON.stringify(options),
      outcome: JSON.stringify(outcome),
      status,
      created_at: now,
      updated_at: now,
    })
    .execute()
}

export const findRun = (db: Db, runId: string) =>
  db.selectFrom('bulk_runs').selectAll().where('id', '=', runId).executeTakeFirst()

type Step = { runId: string; position: number; outcome: RunOutcome<unknown> }

/** A process that was believed dead may still be at it: each step is taken once. */
export async function saveStep(db: Db, { runId, position, outcome }: Step) {
  const { numUpdatedRows } = await db
    .updateTable('bulk_runs')
    .set({ position: position + 1, outcome: JSON.stringify(outcome), updated_at: Date.now() })
    .where('id', '=', runId)
    .where('position', '=', position)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new Error('Another process has taken this run over')
}

const changeRunning = (db: Db, runId: string) =>
  db.updateTable('bulk_runs').where('id', '=', runId).where('status', '=', 'running')

export async function endRun(db: Db, runId: string) {
  await changeRunning(db, runId).set({ status: 'done', updated_at: Date.now() }).execute()
}

/** The same with another outcome, unless somebody has gone on with it meanwhile. */
export async function endRunAt(db: Db, { runId, position, outcome }: Step) {
  await changeRunning(db, runId)
    .set({ status: 'done', outcome: JSON.stringify(outcome), updated_at: Date.now() })
    .where('position', '=', position)
    .execute()
}

export async function isRunning(db: Db, runId: string) {
  const run = await db.selectFrom('bulk_runs').select('status').where('id', '=', runId).executeTakeFirst()
  return run?.status === 'running'
}

/** What the jobs of a run are handed. */
export type RunPayload = { runId: string }

/** One that was stopped still is as long as the item that it was at is finished. */
export async function isUnderWay(db: Db, runId: string) {
  const payload: RunPayload = { runId }
  const run = await db
    .selectFrom('bulk_runs')
    .leftJoin('jobs', (join) =>
      join
        .onRef('jobs.kind', '=', 'bulk_runs.kind')
        // Not by its key: a job that was taken up again has none.
        .on('jobs.payload', '=', JSON.stringify(payload))
        .on('jobs.status', '=', 'active'),
    )
    .select(['bulk_runs.status', 'jobs.id as jobId'])
    .where('bulk_runs.id', '=', runId)
    .executeTakeFirst()
  return run?.status === 'running' || (run?.status === 'cancelled' && run.jobId !== null)
}

export async function listRunsUnderWay(db: Db, ownerId: number, { kind, title }: { kind: string; title: string }) {
  const runs = await db
    .selectFrom('bulk_runs')
    .select(['id', 'media_ids', 'position', 'created_at'])
    .where('owner_id', '=', ownerId)
    .where('kind', '=', kind)
    .where('status', '=', 'running')
    .execute()
  return runs.map(({ id, media_ids, position, created_at }) => ({
    runId: id,
    title,
    done: position,
    total: (JSON.parse(media_ids) as number[]).length,
    createdAt: new Date(created_at).toISOString(),
  }))
}

export async function cancelRun(db: Db, ownerId: number, runId: string) {
  const { numUpdatedRows } = await changeRunning(db, runId)
    .set({ status: 'cancelled', updated_at: Date.now() })
    .where('owner_id', '=', ownerId)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw notFound('Run')
}
