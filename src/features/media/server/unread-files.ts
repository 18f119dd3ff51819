import { type SqlBool, sql } from 'kysely'
import type { Db } from '#platform/server/db/tables.ts'

/** Each page is looked for among all rows: a million take a second of a reading thread. */
const page = 5000

export type Unread = { sha256: string; created_at: number }

/** Not at ImageKit only, where it costs money; in the words of the index `imagekit_originals`. */
const isHereToo = sql<SqlBool>`NOT EXISTS (
  SELECT 1 FROM imagekit_objects
  WHERE imagekit_objects.blob = blobs.sha256 AND kind = 'original' AND state <> 'leaving' AND is_only = 1)`

/**
 * The longest unread first, each once, whatever came of it. A time in the future was written by a clock that ran ahead:
 * nobody knows when that was.
 */
export async function* listUnread(
  db: Db,
  { since, isHere = false }: { since: number; isHere?: boolean },
): AsyncGenerator<Unread> {
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
