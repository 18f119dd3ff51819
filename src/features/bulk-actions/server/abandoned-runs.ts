import type { Db, Row } from '#platform/server/db/tables.ts'
import type { RunOutcome } from './each-item.ts'

/** A run whose job was given up has none any more: what is left of it has failed, and whoever waits for it is told. */
export async function endIfAbandoned(db: Db, runId: string) {
  const run = await db
    .selectFrom('bulk_runs')
    .selectAll()
    .where('id', '=', runId)
    .where('status', '=', 'running')
    .executeTakeFirst()
  if (!run || (await isCarried(db, run))) return
  const outcome = JSON.parse(run.outcome) as RunOutcome<unknown>
  const left = (JSON.parse(run.media_ids) as number[]).slice(run.position)
  const errors = [...outcome.errors, ...left.map((id) => ({ id, message: 'The run was interrupted.' }))]
  await db
    .updateTable('bulk_runs')
    .set({ status: 'done', outcome: JSON.stringify({ ...outcome, errors }), updated_at: Date.now() })
    .where('id', '=', runId)
    .where('status', '=', 'running')
    .where('position', '=', run.position)
    .execute()
}

export async function endAbandonedRuns(db: Db) {
  const runs = await db.selectFrom('bulk_runs').select('id').where('status', '=', 'running').execute()
  for (const { id } of runs) await endIfAbandoned(db, id)
}

/** By what it was given: a job that is tried again has no key. */
async function isCarried(db: Db, { id, kind }: Row<'bulk_runs'>) {
  const job = await db
    .selectFrom('jobs')
    .select('id')
    .where('kind', '=', kind)
    .where('status', 'in', ['waiting', 'active'])
    .where('payload', '=', JSON.stringify({ runId: id }))
    .executeTakeFirst()
  return job !== undefined
}
