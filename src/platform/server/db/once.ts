import { createHash } from 'node:crypto'
import type { Db } from './tables.ts'

/** `runId` is an idempotency key that the client chose. Without one every request is carried out. */
type Request = { ownerId: number; kind: string; runId?: string; request: unknown }

/** The requests that this process is carrying out, by database and row id. */
const pendingRequests = new WeakMap<Db, Map<string, Promise<unknown>>>()

/**
 * [Note: Idempotent requests]
 * A response can get lost after the work is done, and the user then presses the button again. A repeated request (same key
 * and body) therefore gets the outcome of the first one, which is stored as JSON.
 */
export function once<T>(db: Db, { ownerId, kind, runId, request }: Request, work: () => Promise<T>): Promise<T> {
  if (runId === undefined) return work()
  const id = createHash('sha256')
    .update(JSON.stringify([ownerId, kind, runId, request]))
    .digest('hex')
  const pending = pendingRequests.get(db) ?? new Map<string, Promise<unknown>>()
  pendingRequests.set(db, pending)
  const earlier = pending.get(id)
  // The same request has the same type of outcome.
  if (earlier) return earlier as Promise<T>
  const outcome = loadOutcomeOrWork(db, { id, ownerId }, work).finally(() => pending.delete(id))
  pending.set(id, outcome)
  return outcome
}

async function loadOutcomeOrWork<T>(
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
