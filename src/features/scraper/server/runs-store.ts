import type { Kysely } from 'kysely'
import { asOwned, type Owned } from '#features/media/server/owned.ts'
import { notFound } from '#platform/errors.ts'
import { countRows } from '#platform/server/db/count-rows.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { listPending } from '#platform/server/jobs/store.ts'
import { countItems, endRun, findRun, type Run, type RunItem, underWay } from '#platform/server/runs/runs-store.ts'
import type { RunSource, ScrapeRun } from '../contract.ts'

export const scrapeKind = 'scrape-run'
export const interrupted = 'The upload was interrupted.'

export type RunOptions = { source: RunSource; pageUrl: string | null }
export type ImageInput = { address: string; alternatives: string[]; name: string; alt: string; context: string }

export const optionsOf = ({ options }: Pick<Run, 'options'>): RunOptions => JSON.parse(options)
export const inputOf = ({ input }: Pick<RunItem, 'input'>): ImageInput => JSON.parse(input!)

export async function loadOwnedRun(db: Db, ownerId: number, runId: number): Promise<Owned<Run>> {
  const run = await findRun(db, runId)
  if (run?.owner_id !== ownerId || run.kind !== scrapeKind) throw notFound('Upload')
  return asOwned(run)
}

const runsOf = (db: Db, ownerId: number) =>
  db.selectFrom('runs').where('owner_id', '=', ownerId).where('kind', '=', scrapeKind)

/** The newest run that is active, or that ended after `endedAfter` and was not dismissed. */
export async function findCurrentRun(db: Db, ownerId: number, endedAfter: number): Promise<Run | undefined> {
  return runsOf(db, ownerId)
    .selectAll()
    .where('dismissed_at', 'is', null)
    .where((where) => where.or([where('status', 'in', underWay), where('updated_at', '>=', endedAfter)]))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function countUnderWay(db: Db, ownerId: number) {
  return countRows(runsOf(db, ownerId).where('status', 'in', underWay))
}

export async function dismissEndedRuns(db: Db, ownerId: number, runId?: number) {
  await db
    .updateTable('runs')
    .set({ dismissed_at: Date.now() })
    .where('owner_id', '=', ownerId)
    .where('kind', '=', scrapeKind)
    .where('status', 'not in', underWay)
    .$if(runId !== undefined, (query) => query.where('id', '=', runId!))
    .execute()
}

/** Images that have ended, in the order in which they ended. */
export async function listEndedImages(db: Db, runId: number, afterTurn: number, limit: number) {
  return db
    .selectFrom('run_items')
    .select(['input', 'state', 'error', 'turn'])
    .where('run_id', '=', runId)
    .where('turn', '>', afterTurn)
    .orderBy('turn')
    .limit(limit)
    .execute()
}

export async function countBegun(db: Db, runId: number) {
  const waiting = db.selectFrom('run_items').where('run_id', '=', runId).where('state', '=', 'waiting')
  return countRows(waiting.where('begun_at', 'is not', null))
}

type Counts = Pick<ScrapeRun, 'successCount' | 'errorCount' | 'stoppedCount'>

/** In a cancelled run, the images that were not started count as stopped. */
export async function countImages(db: Db, run: Run): Promise<Counts> {
  const { done, failed, waiting } = (await countItems(db, [run])).get(run.id)!
  const begun = run.status === 'stopping' ? await countBegun(db, run.id) : 0
  const isStopped = run.status === 'stopping' || run.status === 'stopped'
  return { successCount: done, errorCount: failed, stoppedCount: isStopped ? waiting - begun : 0 }
}

/** Ends runs without a job, such as after a crash while the job was given up. */
export async function endAbandonedRuns(
  db: Kysely<Tables>,
  { kind, error }: { kind: string; error: string },
  createdBefore: number,
) {
  const runs = await db
    .selectFrom('runs')
    .select(['id', 'kind'])
    .where('kind', '=', kind)
    .where('status', 'in', underWay)
    .where('created_at', '<', createdBefore)
    .execute()
  if (runs.length === 0) return
  const jobs = await listPending<{ runId: number }>(db, kind)
  const withJob = new Set(jobs.map(({ runId }) => runId))
  for (const run of runs) if (!withJob.has(run.id)) await endRun(db, run, { status: 'failed', error })
}
