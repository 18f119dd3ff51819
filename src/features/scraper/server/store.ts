import { asOwned, type Owned } from '#features/media/server/owned.ts'
import { notFound } from '#platform/errors.ts'
import { countRows } from '#platform/server/db/count-rows.ts'
import type { Db, Row } from '#platform/server/db/tables.ts'
import { chunksOf } from '#shared/chunks.ts'
import type { RunKind } from '../contract.ts'
import { addressKey } from './address-key.ts'

export type RunRow = Row<'scrape_runs'>
export type ItemRow = Row<'scrape_items'>
export type NewItem = Pick<ItemRow, 'address' | 'name' | 'alt' | 'context'> & { alternatives: string[] }
type Counts = { successCount: number; errorCount: number; waitingCount: number; stoppedCount: number }

const rowsAtOnce = 300

export async function insertRun(
  db: Db,
  run: { ownerId: number; kind: RunKind; pageUrl: string | null; total: number },
) {
  return db
    .insertInto('scrape_runs')
    .values({
      owner_id: run.ownerId,
      kind: run.kind,
      page_url: run.pageUrl,
      status: 'running',
      total: run.total,
      created_at: Date.now(),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function insertItems(db: Db, runId: number, items: NewItem[]) {
  for (const part of chunksOf(items, rowsAtOnce)) {
    const rows = part.map((item) => ({
      ...item,
      run_id: runId,
      address_key: addressKey(item.address),
      alternatives: JSON.stringify(item.alternatives),
      status: 'waiting' as const,
    }))
    await db.insertInto('scrape_items').values(rows).execute()
  }
}

export async function findRun(db: Db, runId: number): Promise<RunRow | undefined> {
  return db.selectFrom('scrape_runs').selectAll().where('id', '=', runId).executeTakeFirst()
}

export async function loadOwnedRun(db: Db, ownerId: number, runId: number): Promise<Owned<RunRow>> {
  const run = await db
    .selectFrom('scrape_runs')
    .selectAll()
    .where('id', '=', runId)
    .where('owner_id', '=', ownerId)
    .executeTakeFirst()
  if (!run) throw notFound('Upload')
  return asOwned(run)
}

/** The newest run that still goes on, or that ended after `endedAfter` and was not dismissed. */
export async function findCurrentRun(db: Db, ownerId: number, endedAfter: number): Promise<RunRow | undefined> {
  return db
    .selectFrom('scrape_runs')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('is_dismissed', '=', 0)
    .where((where) => where.or([where('status', '=', 'running'), where('finished_at', '>=', endedAfter)]))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function countRunning(db: Db, ownerId: number) {
  return countRows(db.selectFrom('scrape_runs').where('owner_id', '=', ownerId).where('status', '=', 'running'))
}

export async function dismissEndedRuns(db: Db, ownerId: number, runId?: number) {
  await db
    .updateTable('scrape_runs')
    .set({ is_dismissed: 1 })
    .where('owner_id', '=', ownerId)
    .where('status', '=', 'complete')
    .$if(runId !== undefined, (query) => query.where('id', '=', runId!))
    .execute()
}

export async function completeRun(db: Db, runId: number) {
  await db
    .updateTable('scrape_runs')
    .set({ status: 'complete', finished_at: Date.now() })
    .where('id', '=', runId)
    .where('status', '=', 'running')
    .execute()
}

export async function listItems(db: Db, runId: number, status: 'waiting' | 'failed', limit: number) {
  return db
    .selectFrom('scrape_items')
    .selectAll()
    .where('run_id', '=', runId)
    .where('status', '=', status)
    .orderBy('id')
    .limit(limit)
    .execute()
}

export async function listFinishedItems(db: Db, runId: number, afterTurn: number, limit: number) {
  return db
    .selectFrom('scrape_items')
    .select(['name', 'status', 'message', 'finished_turn'])
    .where('run_id', '=', runId)
    .where('finished_turn', '>', afterTurn)
    .orderBy('finished_turn')
    .limit(limit)
    .execute()
}

export async function countItems(db: Db, runId: number): Promise<Counts> {
  const rows = await db
    .selectFrom('scrape_items')
    .select((select) => ['status', select.fn.countAll<number>().as('count')])
    .where('run_id', '=', runId)
    .groupBy('status')
    .execute()
  const countOf = (status: ItemRow['status']) => rows.find((row) => row.status === status)?.count ?? 0
  return {
    successCount: countOf('done'),
    errorCount: countOf('failed'),
    waitingCount: countOf('waiting'),
    stoppedCount: countOf('stopped'),
  }
}

/** Says whether it may begin. The first time counts: whatever arrived since then may be this item's. */
export async function startItem(db: Db, itemId: number, beganAt: number) {
  const { numUpdatedRows } = await db
    .updateTable('scrape_items')
    .set(({ fn, val }) => ({ started_at: fn.coalesce('started_at', val(beganAt)) }))
    .where('id', '=', itemId)
    .where('status', '=', 'waiting')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** What has begun may be in the library already, so it is left to whoever is at it. */
export async function stopUnbegunItems(db: Db, runId: number) {
  await db
    .updateTable('scrape_items')
    .set({ status: 'stopped' })
    .where('run_id', '=', runId)
    .where('status', '=', 'waiting')
    .where('started_at', 'is', null)
    .execute()
}

export type Ending = { status: 'done'; mediaId: number } | { status: 'failed'; message: string }

export async function finishItem(db: Db, itemId: number, ending: Ending, turn: number) {
  await db
    .updateTable('scrape_items')
    .set({
      status: ending.status,
      message: ending.status === 'failed' ? ending.message : null,
      finished_turn: turn,
    })
    .where('id', '=', itemId)
    .where('status', '=', 'waiting')
    .execute()
}
