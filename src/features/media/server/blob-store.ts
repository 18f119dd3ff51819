import { randomUUID } from 'node:crypto'
import { type SqlBool, sql } from 'kysely'
import { prepareListQuery, prepareQuery } from '#platform/server/db/prepared.ts'
import type { Db, Row } from '#platform/server/db/tables.ts'

/**
 * [Note: Bytes are claimed before they are kept]
 * The janitor deletes a row and its bytes in one transaction, unless they are claimed. So an upload first stores a claim and
 * then renews the row: either the janitor sees the claim, or the renewal waits for the deletion and the bytes are stored
 * again. The claim is released in the transaction in which an item points to the bytes.
 */
export async function claimBlob(db: Db, sha256: string) {
  const holder = randomUUID()
  await insertClaim(db, { holder, sha256 })
  const row = db.updateTable('blobs').set({ created_at: Date.now() }).where('sha256', '=', sha256).returning('state')
  return {
    /** Existing bytes are damaged and must be replaced. */
    replaceExisting: ((await row.executeTakeFirst())?.state ?? 'ok') !== 'ok',
    release: (transaction: Db) => releaseClaim(transaction, holder),
  }
}

export type BlobClaim = Awaited<ReturnType<typeof claimBlob>>

const everyBlob = ''
const renewIntervalMs = 10 * 60_000

/** Keeps the bytes of all blobs until disposed, for work that reads or brings many of them and may take hours. */
export async function claimAllBlobs(db: Db): Promise<AsyncDisposable> {
  const holder = randomUUID()
  await insertClaim(db, { holder, sha256: everyBlob })
  const renewal = setInterval(() => {
    const renewed = db.updateTable('blob_claims').set({ created_at: Date.now() }).where('holder', '=', holder)
    renewed.execute().catch(() => {}) // the work itself reports a lost database
  }, renewIntervalMs).unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(renewal)
      await releaseClaim(db, holder).catch(() => {}) // it expires, and the first error is the one to report
    },
  }
}

async function insertClaim(db: Db, claim: { holder: string; sha256: string }) {
  await db
    .insertInto('blob_claims')
    .values({ ...claim, created_at: Date.now() })
    .execute()
}

async function releaseClaim(db: Db, holder: string) {
  await db.deleteFrom('blob_claims').where('holder', '=', holder).execute()
}

/** Claims that count. One from the future was stored while the clock was wrong. */
function currentClaims(db: Db, maxAgeMs: number) {
  const now = Date.now()
  return db
    .selectFrom('blob_claims')
    .where('blob_claims.created_at', '>', now - maxAgeMs)
    .where('blob_claims.created_at', '<=', now + maxAgeMs)
}

/** Claims of the blob itself and of all blobs. */
export const claimsOf = (db: Db, sha256: string, maxAgeMs: number) =>
  currentClaims(db, maxAgeMs).select('holder').where('blob_claims.sha256', 'in', [sha256, everyBlob])

export async function areAllClaimed(db: Db, maxAgeMs: number) {
  return (await claimsOf(db, everyBlob, maxAgeMs).executeTakeFirst()) !== undefined
}

export async function removeExpiredClaims(db: Db, maxAgeMs: number) {
  const current = currentClaims(db, maxAgeMs).select('holder')
  await db.deleteFrom('blob_claims').where('holder', 'not in', current).execute()
}

/** Whether an item or an earlier version of one has the bytes that a column names. */
export const hasItem = (hashColumn: string) => sql<SqlBool>`(
  EXISTS (SELECT 1 FROM media WHERE media.blob = ${sql.ref(hashColumn)})
  OR EXISTS (SELECT 1 FROM media_versions WHERE media_versions.blob = ${sql.ref(hashColumn)}))`

export async function insertBlob(db: Db, sha256: string, bytes: number) {
  await db
    .insertInto('blobs')
    .values({ sha256, bytes, created_at: Date.now() })
    // Renews the row, so that the janitor does not remove bytes that are in use again.
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ created_at: Date.now(), state: 'ok' }))
    .execute()
  await markLocal(db, sha256)
}

/** Bytes that were only at ImageKit were uploaded again, so file checks include them. */
export async function markLocal(db: Db, sha256: string) {
  await db
    .updateTable('imagekit_objects')
    .set({ is_only: 0 })
    .where('kind', '=', 'original')
    .where('blob', '=', sha256)
    .where('state', '!=', 'leaving')
    .where('is_only', '=', 1)
    .execute()
}

/** Records the result of reading a file. Returns false if it was not recorded. */
export async function recordState(
  db: Db,
  { sha256, created_at }: Pick<Row<'blobs'>, 'sha256' | 'created_at'>,
  found: Pick<Row<'blobs'>, 'state' | 'checked_at'>,
) {
  const { numUpdatedRows } = await db
    .updateTable('blobs')
    .set(found)
    .where('sha256', '=', sha256)
    // If the bytes were uploaded again in the meantime, the result concerns the earlier ones and is dropped.
    .where('created_at', '=', created_at)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

const isLost = sql<boolean>`state <> 'ok'`
const findAnyBroken = prepareQuery((db) => db.selectFrom('blobs').select('sha256').where(isLost).limit(sql.lit(1)))
const listBrokenAmong = prepareListQuery((db, blobs: string[]) =>
  db.selectFrom('blobs').select(['sha256', 'state']).where('sha256', 'in', blobs).where(isLost),
)

/** Damaged or missing files among the given ones. Usually there are none at all, which a single cheap query tells. */
export async function listBrokenBlobs(db: Db, blobs: string[]) {
  return (await findAnyBroken(db)) ? listBrokenAmong(db, blobs) : []
}

/** Each page sorts all remaining rows: with a million rows this takes a second of a reader thread. */
const page = 5000

export type FileToCheck = { sha256: string; created_at: number }

/** Excludes files that are only at ImageKit, where downloads cost money. Worded like the index `imagekit_originals`. */
const isLocal = sql<SqlBool>`NOT EXISTS (
  SELECT 1 FROM imagekit_objects
  WHERE imagekit_objects.blob = blobs.sha256 AND kind = 'original' AND state <> 'leaving' AND is_only = 1)`

/**
 * Lists each file once, the one unread for longest first. A check time in the future comes from a clock that ran ahead and
 * counts as unread.
 */
export async function* listFilesToCheck(
  db: Db,
  { since, isHere = false }: { since: number; isHere?: boolean },
): AsyncGenerator<FileToCheck> {
  const now = Date.now()
  for (let last = { read_at: -1, sha256: '' }; ; ) {
    const files = await db
      .selectFrom((from) =>
        from
          .selectFrom('blobs')
          .select(['sha256', 'created_at'])
          .select(({ eb }) =>
            eb.case().when('checked_at', '<', since).then(eb.ref('checked_at')).else(0).end().as('read_at'),
          )
          .where(({ eb, or }) =>
            or([eb('checked_at', 'is', null), eb('checked_at', '<', since), eb('checked_at', '>', now)]),
          )
          .$if(isHere, (query) => query.where(isLocal))
          .as('unread'),
      )
      .select(['sha256', 'created_at'])
      .select(({ ref }) => ref('read_at').$castTo<number>().as('read_at'))
      .where(({ eb, or, and }) =>
        or([eb('read_at', '>', last.read_at), and([eb('read_at', '=', last.read_at), eb('sha256', '>', last.sha256)])]),
      )
      .orderBy('read_at')
      .orderBy('sha256')
      .limit(page)
      .execute()
    yield* files
    if (files.length < page) return
    last = files.at(-1)!
  }
}
