import type { Kysely } from 'kysely'
import { asOwned, type Owned } from '#features/media/server/owned.ts'
import { lockMedia } from '#features/media/server/store.ts'
import { notFound } from '#platform/errors.ts'
import { countRows } from '#platform/server/db/count-rows.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import { partsToAsk } from '#platform/server/db/parts-to-ask.ts'
import type { Db, Row, Tables } from '#platform/server/db/tables.ts'
import { chunksOf } from '#shared/chunks.ts'
import type { AiRun, PastRun } from '../../contract.ts'

export type RunRow = Row<'ai_runs'>
type RunItem = { mediaId: number; before?: string; after?: string }

const rowsPerInsert = 200
const mostErrors = 1000

export async function findRun(db: Db, id: string): Promise<RunRow | undefined> {
  return db.selectFrom('ai_runs').selectAll().where('id', '=', id).executeTakeFirst()
}

/** As it is now, and it stays so until the transaction ends. */
export async function holdRun(db: Db, id: string): Promise<RunRow> {
  const [run] = await dialectOf(db)
    .lockRows(db.selectFrom('ai_runs').selectAll().where('id', '=', id))
    .execute()
  if (!run) throw notFound('Run')
  return run
}

/** How many items of a run were really changed. */
export async function countApplied(db: Db, runId: string) {
  return countRows(db.selectFrom('ai_run_items').where('run_id', '=', runId).where('state', '=', 'done'))
}

export async function loadOwnedRun(db: Db, ownerId: number, id: string): Promise<Owned<RunRow>> {
  const run = await db
    .selectFrom('ai_runs')
    .selectAll()
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .executeTakeFirst()
  if (!run) throw notFound('Run')
  return asOwned(run)
}

export async function insertRun(
  db: Db,
  run: Pick<RunRow, 'id' | 'owner_id' | 'kind' | 'status'> & Partial<Pick<RunRow, 'is_review'>>,
  items: RunItem[],
) {
  const now = Date.now()
  await db
    .insertInto('ai_runs')
    .values({ ...run, total: items.length, created_at: now, updated_at: now })
    .execute()
  const state = run.status === 'done' ? ('done' as const) : ('waiting' as const)
  const rows = items.map(({ mediaId, before, after }, position) => ({
    run_id: run.id,
    media_id: mediaId,
    position,
    state,
    before_value: before ?? null,
    after_value: after ?? null,
  }))
  for (const part of chunksOf(rows, rowsPerInsert)) await db.insertInto('ai_run_items').values(part).execute()
}

export async function listWaitingItems(db: Db, runId: string, limit: number) {
  return db
    .selectFrom('ai_run_items')
    .innerJoin('media', 'media.id', 'ai_run_items.media_id')
    .selectAll('media')
    .where('run_id', '=', runId)
    .where('state', '=', 'waiting')
    .orderBy('position')
    .limit(limit)
    .execute()
}

export async function finishItem(db: Db, runId: string, mediaId: number, error?: string) {
  await db
    .updateTable('ai_run_items')
    .set({ state: error === undefined ? 'done' : 'failed', error: error ?? null })
    .where('run_id', '=', runId)
    .where('media_id', '=', mediaId)
    .execute()
}

/** What is left ends with the reason that ended the others. Somebody may delete the items; see [Note: Items are locked first]. */
export async function failWaitingItems(db: Kysely<Tables>, runId: string, error: string) {
  await db.transaction().execute(async (transaction) => {
    const waiting = transaction
      .selectFrom('ai_run_items')
      .select('media_id')
      .where('run_id', '=', runId)
      .where('state', '=', 'waiting')
    const ids = (await waiting.execute()).map(({ media_id }) => media_id)
    await lockMedia(transaction, ids)
    await transaction
      .updateTable('ai_run_items')
      .set({ state: 'failed', error })
      .where('run_id', '=', runId)
      .where('state', '=', 'waiting')
      .execute()
  })
}

/** Says whether the run was in one of the states that may become the new one. */
export async function setRunStatus(db: Db, id: string, status: RunRow['status'], from: RunRow['status'][]) {
  const { numUpdatedRows } = await db
    .updateTable('ai_runs')
    .set({ status, updated_at: Date.now() })
    .where('id', '=', id)
    .where('status', 'in', from)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** What waits for a review is not past, and what was discarded has left nothing. */
export async function listPastRuns(db: Db, ownerId: number, limit: number): Promise<PastRun[]> {
  const runs = await db
    .selectFrom('ai_runs')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('status', 'in', ['running', 'applying', 'done', 'cancelled', 'reverted'])
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
  const counts: StateCount[] = []
  for (const part of partsToAsk(runs.map(({ id }) => id))) counts.push(...(await countStates(db, part)))
  const byRun = Map.groupBy(counts, ({ run_id }) => run_id)
  return runs.map((run) => ({
    ...toAiRun(run, byRun.get(run.id) ?? []),
    createdAt: new Date(run.created_at).toISOString(),
  }))
}

export async function describeRun(db: Db, id: string): Promise<AiRun> {
  const run = await findDescribedRun(db, id)
  if (!run) throw notFound('Run')
  return run
}

/** Undefined for one that has gone with its owner's account, which may happen while it is worked on. */
export async function findDescribedRun(db: Db, id: string): Promise<AiRun | undefined> {
  const run = await findRun(db, id)
  return run && toAiRun(run, await countStates(db, [id]))
}

type StateCount = Awaited<ReturnType<typeof countStates>>[number]

async function countStates(db: Db, runIds: string[]) {
  return db
    .selectFrom('ai_run_items')
    .select((select) => ['run_id', 'state', select.fn.countAll<number>().as('count')])
    .where('run_id', 'in', runIds)
    .groupBy(['run_id', 'state'])
    .execute()
}

function toAiRun({ id, kind, status, total }: RunRow, counts: StateCount[]): AiRun {
  const countOf = (state: string) => counts.find((row) => row.state === state)?.count ?? 0
  return { runId: id, kind, status, total, successful: countOf('done') + countOf('found'), failed: countOf('failed') }
}

export async function listRunErrors(db: Db, id: string) {
  const rows = await db
    .selectFrom('ai_run_items')
    .select(['media_id', 'error'])
    .where('run_id', '=', id)
    .where('state', '=', 'failed')
    .orderBy('position')
    .limit(mostErrors)
    .execute()
  return rows.map(({ media_id, error }) => ({ id: media_id, message: error ?? 'The analysis failed.' }))
}

export async function listRunItems(db: Db, id: string) {
  return db.selectFrom('ai_run_items').selectAll().where('run_id', '=', id).orderBy('position').execute()
}

/** Whether an item still has the name that a renaming gave it. */
export async function hasGivenNames(db: Db, runId: string) {
  const given = await db
    .selectFrom('ai_run_items')
    .innerJoin('media', 'media.id', 'ai_run_items.media_id')
    .select('media.id')
    .where('run_id', '=', runId)
    .where('before_value', 'is not', null)
    .whereRef('media.filename', '=', 'ai_run_items.after_value')
    .limit(1)
    .executeTakeFirst()
  return given !== undefined
}
