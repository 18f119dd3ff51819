import { createHash } from 'node:crypto'
import type { Db } from './tables.ts'

/** `runId`: the page's name for the request. Without one it is carried out as often as it is sent. */
type Request = { ownerId: number; kind: string; runId?: string; request: unknown }

/** The requests that this process is carrying out, by database and by the ids of their rows. */
const underWay = new WeakMap<Db, Map<string, Promise<unknown>>>()

/**
 * [Note: Done once]
 * An answer can get lost when all is done, and a user who presses the button again wants it done once. So a repeated request
 * (same name, same words) gets the outcome of the first one, which is stored as JSON.
 */
export function once<T>(db: Db, { ownerId, kind, runId, request }: Request, work: () => Promise<T>): Promise<T> {
  if (runId === undefined) return work()
  const words = JSON.stringify([ownerId, kind, runId, request])
  const id = createHash('sha256').update(words).digest('hex')
  const here = underWay.get(db) ?? new Map<string, Promise<unknown>>()
  underWay.set(db, here)
  const known = here.get(id)
  // The same words, so the same kind of outcome.
  if (known) return known as Promise<T>
  const doing = recallOrDo(db, { id, ownerId }, work).finally(() => here.delete(id))
  here.set(id, doing)
  return doing
}

async function recallOrDo<T>(
  db: Db,
  { id, ownerId }: { id: string; ownerId: number },
  work: () => Promise<T>,
): Promise<T> {
  const done = await db.selectFrom('request_outcomes').select('outcome').where('id', '=', id).executeTakeFirst()
  if (done) return JSON.parse(done.outcome)
  const outcome = await work()
  await db
    .insertInto('request_outcomes')
    .values({ id, owner_id: ownerId, outcome: JSON.stringify(outcome), created_at: Date.now() })
    // Another process may have carried out the same request at the same moment.
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return outcome
}

export async function removeOldOutcomes(db: Db, createdBefore: number) {
  await db.deleteFrom('request_outcomes').where('created_at', '<', createdBefore).execute()
}
