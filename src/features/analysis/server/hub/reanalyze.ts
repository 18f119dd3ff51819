import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { startRun, stopRun } from '#platform/server/runs/runs.ts'
import { hasAi, preferredProvider } from '../ai.ts'
import type { AnalysisServices } from '../analyze-media.ts'
import { type TagOptions, tagKind } from '../runs/runs.ts'

export const reanalyzeKind = 'reanalyze-library'
const keyPrefix = 'model-change-'

/** An endpoint is preferred to every other AI, so nothing changes while there is one. */
export async function reanalyzeLater(transaction: Db, { jobs, ai }: Pick<AnalysisServices, 'jobs' | 'ai'>) {
  if (!ai.endpoint) await jobs.enqueue(transaction, reanalyzeKind, {}, { key: reanalyzeKind })
}

/**
 * [Note: Another model, the same library]
 * After a change of models, every owner gets a run over the items that another model has described. It is a run as users
 * start it: users' own words stay, it can be stopped, and reverting it brings the former words back. Results are stored by
 * model, so a change back costs nothing.
 */
export async function reanalyzeLibrary(services: AnalysisServices) {
  const { db, ai, jobs } = services
  await ai.hub.refresh()
  await stopEarlierChanges(services)
  if (!hasAi(ai)) return
  const { name, model } = preferredProvider(ai)
  for (const ownerId of await listOwners(db)) {
    await db.transaction().execute(async (transaction) => {
      const items = await transaction
        .selectFrom('media')
        .select('id as mediaId')
        .where('owner_id', '=', ownerId)
        .where('is_trashed', '=', 0)
        .where('ai_provider', 'is not', null)
        .where((where) => where.or([where('ai_provider', '<>', name), where('ai_model', '<>', model)]))
        .orderBy('id', 'desc')
        .execute()
      if (items.length === 0) return
      const options: TagOptions = { review: false }
      await startRun(transaction, jobs, { kind: tagKind, ownerId, key: `${keyPrefix}${randomUUID()}`, options }, items)
    })
  }
}

async function stopEarlierChanges(services: AnalysisServices) {
  const runs = await services.db
    .selectFrom('runs')
    .selectAll()
    .where('kind', '=', tagKind)
    .where('status', '=', 'running')
    .where('key', 'like', `${keyPrefix}%`)
    .execute()
  for (const run of runs) await stopRun(services, run)
}

async function listOwners(db: Kysely<Tables>): Promise<number[]> {
  const rows = await db.selectFrom('users').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}
