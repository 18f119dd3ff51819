import type { Kysely } from 'kysely'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { listPending } from '#platform/server/jobs/store.ts'
import { type RunPayload, runKind } from './runs.ts'
import { completeRun } from './store.ts'

export async function deleteRunsBefore(db: Db, finishedBefore: number) {
  await db
    .deleteFrom('scrape_runs')
    .where('status', '=', 'complete')
    .where('finished_at', '<', finishedBefore)
    .execute()
}

/** A run whose job ended the process again and again has none any more: what is left of it has failed. */
export async function endAbandonedRuns(db: Kysely<Tables>, createdBefore: number) {
  const runs = await db
    .selectFrom('scrape_runs')
    .select('id')
    .where('status', '=', 'running')
    .where('created_at', '<', createdBefore)
    .execute()
  if (runs.length === 0) return
  const jobs = await listPending<RunPayload>(db, runKind)
  const carried = new Set(jobs.map(({ runId }) => runId))
  for (const { id } of runs) if (!carried.has(id)) await endRun(db, id)
}

export async function endRun(db: Kysely<Tables>, runId: number) {
  await db.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('scrape_items')
      .set({ status: 'failed', message: 'The upload was interrupted.' })
      .where('run_id', '=', runId)
      .where('status', '=', 'waiting')
      .execute()
    await completeRun(transaction, runId)
  })
}
