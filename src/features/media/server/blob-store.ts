import { type SqlBool, sql } from 'kysely'
import { prepareListQuery, prepareQuery } from '#platform/server/db/prepared.ts'
import type { Db, Row } from '#platform/server/db/tables.ts'

/**
 * [Note: Bytes are claimed before they are kept]
 * The janitor removes a row and its bytes in one transaction. Whoever brings the same bytes makes the row young first: then
 * the janitor lets them be, or this waits until they are gone, and they are stored anew. A bucket finds no other way to
 * tell the two apart, since it removes whatever is there at that moment. Says whether what is there was found damaged.
 */
export async function claimBlob(db: Db, sha256: string) {
  const claim = db.updateTable('blobs').set({ created_at: Date.now() }).where('sha256', '=', sha256).returning('state')
  return { replaceExisting: ((await claim.executeTakeFirst())?.state ?? 'ok') !== 'ok' }
}

export async function insertBlob(db: Db, sha256: string, bytes: number) {
  await db
    .insertInto('blobs')
    .values({ sha256, bytes, created_at: Date.now() })
    // Seen again: the janitor's hour begins anew, so it cannot take away what is just being used.
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ created_at: Date.now(), state: 'ok' }))
    .execute()
  await markLocal(db, sha256)
}

/** What may have been at ImageKit only was brought again: it is read again as all that is here. */
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

/** What a look at a file found; says whether that was written down. */
export async function recordState(
  db: Db,
  { sha256, created_at }: Pick<Row<'blobs'>, 'sha256' | 'created_at'>,
  found: Pick<Row<'blobs'>, 'state' | 'checked_at'>,
) {
  const { numUpdatedRows } = await db
    .updateTable('blobs')
    .set(found)
    .where('sha256', '=', sha256)
    // Whoever has brought the bytes again has made it young: then nothing is said about what was there before.
    .where('created_at', '=', created_at)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

const isLost = sql<boolean>`state <> 'ok'`
const findAnyBroken = prepareQuery((db) => db.selectFrom('blobs').select('sha256').where(isLost).limit(sql.lit(1)))
const listBrokenAmong = prepareListQuery((db, blobs: string[]) =>
  db.selectFrom('blobs').select(['sha256', 'state']).where('sha256', 'in', blobs).where(isLost),
)

/** Files that were found damaged, or were not found. As a rule there are none, which is cheaper to ask than for each of them. */
export async function listBrokenBlobs(db: Db, blobs: string[]) {
  return (await findAnyBroken(db)) ? listBrokenAmong(db, blobs) : []
}

/** Each page is looked for among all rows: a million take a second of a reading thread. */
const page = 5000

export type FileToCheck = { sha256: string; created_at: number }

/** Not at ImageKit only, where it costs money; in the words of the index `imagekit_originals`. */
const isHereToo = sql<SqlBool>`NOT EXISTS (
  SELECT 1 FROM imagekit_objects
  WHERE imagekit_objects.blob = blobs.sha256 AND kind = 'original' AND state <> 'leaving' AND is_only = 1)`

/**
 * The longest unread first, each once, whatever came of it. A time in the future was written by a clock that ran ahead:
 * nobody knows when that was.
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
          .$if(isHere, (query) => query.where(isHereToo))
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
