import type { Kysely } from 'kysely'
import type { RunProgress } from '#platform/runs.ts'
import { chunksOf } from '#shared/chunks.ts'
import { dialectOf } from '../db/dialect.ts'
import { partsToAsk } from '../db/parts-to-ask.ts'
import type { Db, Row, RunItemState, RunStatus, Tables } from '../db/tables.ts'

export type Run = Row<'runs'>
export type RunItem = Row<'run_items'>
export type NewRun = { kind: string; ownerId: number | null; key?: string; title?: string; options?: unknown }
export type NewItem = { mediaId?: number; input?: string }

const rowsPerInsert = 200
export const underWay: RunStatus[] = ['running', 'stopping']
export const isUnderWay = ({ status }: Pick<Run, 'status'>) => underWay.includes(status)

export async function insertRun(db: Db, wanted: NewRun, items: NewItem[]): Promise<Run> {
  const run = await insertRow(db, wanted, { status: 'running', total: items.length })
  await insertItems(db, run.id, items, 0)
  return run
}

async function insertItems(db: Db, runId: number, items: NewItem[], position: number) {
  const rows = items.map(({ mediaId, input }, index) => ({
    run_id: runId,
    position: position + index,
    media_id: mediaId ?? null,
    input: input ?? null,
    state: 'waiting' as const,
  }))
  for (const part of chunksOf(rows, rowsPerInsert)) await db.insertInto('run_items').values(part).execute()
}

export async function addItems(transaction: Db, runId: number, items: NewItem[]) {
  const { total } = await transaction
    .updateTable('runs')
    .set((set) => ({ total: set('total', '+', items.length) }))
    .where('id', '=', runId)
    .returning('total')
    .executeTakeFirstOrThrow()
  await insertItems(transaction, runId, items, total - items.length)
}

export async function findLastItem(db: Db, runId: number): Promise<RunItem | undefined> {
  const items = db.selectFrom('run_items').selectAll().where('run_id', '=', runId)
  return items.orderBy('position', 'desc').limit(1).executeTakeFirst()
}

/** Without items yet: they are added as the work goes on that is not a job. */
export async function insertEndedRun(db: Db, wanted: NewRun): Promise<Run> {
  return insertRow(db, wanted, { status: 'ended', total: 0 })
}

async function insertRow(
  db: Db,
  { kind, ownerId, key, title, options = {} }: NewRun,
  state: Pick<Run, 'status' | 'total'>,
): Promise<Run> {
  const now = Date.now()
  return db
    .insertInto('runs')
    .values({
      owner_id: ownerId,
      kind,
      title: title ?? null,
      key: key ?? null,
      options: JSON.stringify(options),
      ...state,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

type EndedItem = { mediaId: number; input: string | null; output: string | null; error?: string }

export async function insertEndedItems(transaction: Db, runId: number, items: EndedItem[]) {
  if (items.length === 0) return
  const { total } = await transaction
    .updateTable('runs')
    .set((set) => ({ total: set('total', '+', items.length), updated_at: Date.now() }))
    .where('id', '=', runId)
    .returning('total')
    .executeTakeFirstOrThrow()
  const rows = items.map(({ mediaId, input, output, error }, index) => ({
    run_id: runId,
    position: total - items.length + index,
    media_id: mediaId,
    input,
    output,
    state: error === undefined ? ('done' as const) : ('failed' as const),
    error: error ?? null,
  }))
  for (const part of chunksOf(rows, rowsPerInsert)) await transaction.insertInto('run_items').values(part).execute()
}

export async function findRun(db: Db, id: number): Promise<Run | undefined> {
  return db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function findRunByKey(db: Db, key: string): Promise<Run | undefined> {
  return db.selectFrom('runs').selectAll().where('key', '=', key).executeTakeFirst()
}

/** The run as it is now; it stays so until the transaction ends. */
export async function holdRun(transaction: Db, id: number): Promise<Run | undefined> {
  const run = transaction.selectFrom('runs').selectAll().where('id', '=', id)
  return dialectOf(transaction).lockRows(run).executeTakeFirst()
}

export async function listRunning(db: Db, ownerId: number, kind: string): Promise<Run[]> {
  return db
    .selectFrom('runs')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('kind', '=', kind)
    .where('status', '=', 'running')
    .execute()
}

type Part = { state?: RunItemState; limit?: number }

export async function listItems(db: Db, runId: number, { state, limit }: Part = {}): Promise<RunItem[]> {
  return db
    .selectFrom('run_items')
    .selectAll()
    .where('run_id', '=', runId)
    .$if(state !== undefined, (query) => query.where('state', '=', state!))
    .orderBy('position')
    .$if(limit !== undefined, (query) => query.limit(limit!))
    .execute()
}

/** In a run with an error, the waiting items count as failed because of it. */
export function listErrors({ error }: Pick<Run, 'error'>, items: RunItem[]) {
  return items.flatMap((item) => {
    if (item.state === 'failed') return { ...item, error: item.error ?? '' }
    return error !== null && item.state === 'waiting' ? { ...item, error } : []
  })
}

/** Returns whether work on the item may start. A stopping run waits for the items that have started, see `stopRun`. */
export async function beginItem(
  transaction: Db,
  { run_id, position, state }: RunItem,
  { kind, begunAt }: { kind: string; begunAt: number },
) {
  const run = await holdRun(transaction, run_id)
  if (run?.status !== 'running' || run.kind !== kind) return false
  const { numUpdatedRows } = await transaction
    .updateTable('run_items')
    .set({ begun_at: begunAt })
    .where('run_id', '=', run_id)
    .where('position', '=', position)
    .where('state', '=', state)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The item waits again, as if it had not been begun. */
export async function putBackItem(db: Db, { run_id, position }: RunItem) {
  await db
    .updateTable('run_items')
    .set({ begun_at: null })
    .where('run_id', '=', run_id)
    .where('position', '=', position)
    .execute()
}

export type Ending = { state: RunItemState; error?: string; output?: string }

/** Says whether the item was still to be ended: another process may have taken the run over and done it. */
export async function endItem(transaction: Db, { run_id, position, state }: RunItem, ending: Ending) {
  const run = await transaction
    .updateTable('runs')
    .set((set) => ({ turns: set('turns', '+', 1), updated_at: Date.now() }))
    .where('id', '=', run_id)
    .returning('turns')
    .executeTakeFirst()
  const { numUpdatedRows } = await transaction
    .updateTable('run_items')
    .set({ ...ending, error: ending.error ?? null, turn: run?.turns ?? null })
    .where('run_id', '=', run_id)
    .where('position', '=', position)
    .where('state', '=', state)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

type RunEnding = { status: RunStatus; error?: string; kind?: string }

/** Ends a run that is under way as this kind of work, once: says whether this call did it. */
export async function endRun(db: Db, { id, kind }: Pick<Run, 'id' | 'kind'>, ending: RunEnding, from?: RunStatus) {
  const { numUpdatedRows } = await db
    .updateTable('runs')
    .set({ ...ending, updated_at: Date.now() })
    .where('id', '=', id)
    .where('kind', '=', kind)
    .where('status', 'in', from ? [from] : underWay)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The items that have ended stay so. */
export async function reopenRun(db: Db, id: number, kind: string): Promise<Run> {
  return db
    .updateTable('runs')
    .set({ kind, status: 'running', updated_at: Date.now() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** See `stopRun`. */
export async function endOrLetStop(transaction: Db, id: number) {
  const run = await holdRun(transaction, id)
  if (run?.status !== 'running') return
  const begun = await transaction
    .selectFrom('run_items')
    .select('position')
    .where('run_id', '=', id)
    .where('state', '=', 'waiting')
    .where('begun_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  await endRun(transaction, run, { status: begun ? 'stopping' : 'stopped' })
}

type Counts = Record<RunItemState, number>

/** How many items are in which state; what was undone was done. Of a run with an error, the items that wait have failed. */
export async function countItems(db: Db, runs: Run[]): Promise<Map<number, Counts>> {
  const rows: { run_id: number; state: RunItemState; count: number }[] = []
  for (const part of partsToAsk(runs.map(({ id }) => id))) {
    const counted = db
      .selectFrom('run_items')
      .select((select) => ['run_id', 'state', select.fn.countAll<number>().as('count')])
      .where('run_id', 'in', part)
      .groupBy(['run_id', 'state'])
    rows.push(...(await counted.execute()))
  }
  const byRun = Map.groupBy(rows, ({ run_id }) => run_id)
  return new Map(runs.map((run) => [run.id, sumUp(run, byRun.get(run.id) ?? [])]))
}

function sumUp({ error }: Run, rows: { state: RunItemState; count: number }[]): Counts {
  const counts: Counts = { waiting: 0, found: 0, done: 0, undone: 0, rejected: 0, failed: 0 }
  for (const { state, count } of rows) counts[state] = count
  counts.done += counts.undone
  if (error === null) return counts
  return { ...counts, failed: counts.failed + counts.waiting, waiting: 0 }
}

/** What the job of a run carries; `pauses` in a row, the last one for `reason`. */
export type RunPayload = { runId: number; pauses?: number; reason?: string }

/** Why a run is paused, or null. */
async function findPause(db: Db, { id, kind }: Run): Promise<string | null> {
  const job = await db
    .selectFrom('jobs')
    .select('payload')
    .where('kind', '=', kind)
    .where('key', '=', String(id))
    .where('status', '=', 'waiting')
    .where('run_at', '>', Date.now())
    .executeTakeFirst()
  return job ? ((JSON.parse(job.payload) as RunPayload).reason ?? null) : null
}

export async function describeProgress(db: Db, run: Run): Promise<RunProgress> {
  const counts = await countItems(db, [run])
  const { found, done, failed } = counts.get(run.id)!
  const runId = run.key ?? String(run.id)
  const pause = run.status === 'running' ? await findPause(db, run) : null
  return { runId, isRunning: isUnderWay(run), done: found + done + failed, failed, total: run.total, pause }
}

const itemsAtOnce = 500

/** `except`: a run that was not undone stays as long as one of its items is in this state. */
type Old = { kinds: string[]; updatedBefore: number; except?: RunItemState }

/**
 * Items go before their run, some at a time. Those that another transaction is deleting are passed over and go another day:
 * the two would otherwise wait for each other.
 */
export async function removeOldRuns(db: Kysely<Tables>, old: Old) {
  while (await db.transaction().execute((transaction) => removeItems(transaction, old))) {}
  await db
    .deleteFrom('runs')
    .where('id', 'in', oldRuns(db, old).select('id'))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('run_items').select('position').whereRef('run_id', '=', 'runs.id'))),
    )
    .execute()
}

function oldRuns(db: Db, { kinds, updatedBefore, except }: Old) {
  return db
    .selectFrom('runs')
    .where('kind', 'in', kinds)
    .where('status', 'not in', underWay)
    .where('updated_at', '<', updatedBefore)
    .$if(except !== undefined, (query) =>
      query.where(({ eb, or, not, exists, selectFrom }) => {
        const excepted = selectFrom('run_items').select('position').whereRef('run_id', '=', 'runs.id')
        return or([eb('undone_at', 'is not', null), not(exists(excepted.where('state', '=', except!)))])
      }),
    )
}

async function removeItems(transaction: Db, old: Old) {
  const some = transaction
    .selectFrom('run_items')
    .select(['run_id', 'position'])
    .where('run_id', 'in', oldRuns(transaction, old).select('id'))
    .limit(itemsAtOnce)
  const items = await dialectOf(transaction).lockFreeRows(some).execute()
  for (const [runId, ofRun] of Map.groupBy(items, ({ run_id }) => run_id)) {
    const positions = ofRun.map(({ position }) => position)
    await transaction.deleteFrom('run_items').where('run_id', '=', runId).where('position', 'in', positions).execute()
  }
  return items.length > 0
}
