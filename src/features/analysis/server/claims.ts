import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { isLeaseOver, leaseEnd } from '#platform/server/db/lease.ts'
import type { Tables } from '#platform/server/db/tables.ts'

/** The claim of a process that died expires after this time. */
const leaseMs = 20_000
const renewEveryMs = 5_000
const retryMs = 250

/**
 * Serializes work on the same bytes across all processes of a library, so that the second finds the result of the first. Uses
 * a row instead of a database lock, as an endpoint may take a minute and no connection should be held that long.
 */
export async function withClaim<T>(
  db: Kysely<Tables>,
  sha256: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const holder = randomUUID()
  while (!(await take(db, sha256, holder))) await pause(retryMs, undefined, { signal })
  // A failed renewal is repeated. If all fail, the claim expires, and at worst the same bytes are sent twice.
  const renewing = setInterval(() => void renew(db, sha256, holder).catch(() => undefined), renewEveryMs)
  try {
    return await work()
  } finally {
    clearInterval(renewing)
    await db.deleteFrom('ai_claims').where('sha256', '=', sha256).where('holder', '=', holder).execute()
  }
}

async function take(db: Kysely<Tables>, sha256: string, holder: string) {
  const claim = { holder, held_until: leaseEnd(db, leaseMs) }
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('ai_claims')
    .values({ sha256, ...claim })
    .onConflict((conflict) =>
      conflict
        .column('sha256')
        .doUpdateSet(claim)
        .where(isLeaseOver(db, 'ai_claims.held_until', leaseMs)),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

async function renew(db: Kysely<Tables>, sha256: string, holder: string) {
  await db
    .updateTable('ai_claims')
    .set({ held_until: leaseEnd(db, leaseMs) })
    .where('sha256', '=', sha256)
    .where('holder', '=', holder)
    .execute()
}

/** Called at startup by the only process of a library, when every claim is stale. */
export async function removeClaims(db: Kysely<Tables>) {
  await db.deleteFrom('ai_claims').execute()
}
