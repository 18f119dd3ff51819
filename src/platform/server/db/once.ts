import { createHash } from 'node:crypto'
import type { Db } from './tables.ts'

/** `runId`: the page's name for it. Without one it is done as often as it is asked for. */
type Wish = { ownerId: number; kind: string; runId?: string; request: unknown }

/** What this process is at, by database and by the names of its rows. */
const underWay = new WeakMap<Db, Map<string, Promise<unknown>>>()

/**
 * [Note: Done once]
 * An answer can get lost when all is done, and whoever presses again wishes it once. So what is asked for again by the same
 * name and in the same words gets the outcome of the first time. That is kept as a row, with the long runs; it must be of
 * what JSON knows.
 */
export function once<T>(db: Db, { ownerId, kind, runId, request }: Wish, work: () => Promise<T>): Promise<T> {
  if (runId === undefined) return work()
  const words = JSON.stringify([ownerId, kind, runId, request])
  const id = createHash('sha256').update(words).digest('hex')
  const here = underWay.get(db) ?? new Map<string, Promise<unknown>>()
  underWay.set(db, here)
  const known = here.get(id)
  // The same words, so the same kind of outcome.
  if (known) return known as Promise<T>
  const doing = recallOrDo(db, { id, ownerId, kind }, work).finally(() => here.delete(id))
  here.set(id, doing)
  return doing
}

async function recallOrDo<T>(
  db: Db,
  { id, ownerId, kind }: { id: string; ownerId: number; kind: string },
  work: () => Promise<T>,
): Promise<T> {
  const done = await db.selectFrom('bulk_runs').select('outcome').where('id', '=', id).executeTakeFirst()
  if (done) return JSON.parse(done.outcome)
  const outcome = await work()
  const now = Date.now()
  const times = { created_at: now, updated_at: now }
  const row = { id, owner_id: ownerId, kind, media_ids: '[]', options: '{}', status: 'done' as const, ...times }
  await db
    .insertInto('bulk_runs')
    .values({ ...row, outcome: JSON.stringify(outcome) })
    // Another process was asked at the same moment.
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return outcome
}
