import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { isLeaseOver, leaseEnd } from '#platform/server/db/lease.ts'
import type { Tables } from '#platform/server/db/tables.ts'

/** What a process that died has claimed is free after this long. */
const leaseMs = 20_000
const renewEveryMs = 5_000
const lookAgainMs = 250

/**
 * Work on the same bytes happens one after another in all processes of a library, so that the second finds what the
 * first was told. A row and not a lock of the database: an endpoint may think for a minute, and no connection waits so long.
 */
export async function withClaim<T>(
  db: Kysely<Tables>,
  sha256: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const holder = randomUUID()
  while (!(await take(db, sha256, holder))) await pause(lookAgainMs, undefined, { signal })
  // A renewal that fails is tried again; if all of them fail, the claim ends, and at worst the same is asked twice.
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

/** For the only process of a library at its start: whatever is claimed, nobody works on it. */
export async function removeClaims(db: Kysely<Tables>) {
  await db.deleteFrom('ai_claims').execute()
}
