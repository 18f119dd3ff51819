import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { beginEdition } from '#features/media/server/library-pause.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { libraryTables } from './library-tables.ts'

const chunk = 500

/** Empties the library's tables within the caller's transaction. The bytes go by the janitor, once nothing needs them. */
export async function clearLibrary(db: Db) {
  await beginEdition(db)
  // Tags, memberships and search documents go with their items.
  for (const table of ['media', 'collections', 'users'] as const) await clearInParts(db, table)
  for (const { name } of libraryTables.toReversed()) await sql`DELETE FROM ${sql.table(name)}`.execute(db)
}

/** In parts, since on SQLite everybody waits for a statement to end. */
async function clearInParts(db: Db, table: 'media' | 'collections' | 'users') {
  for (;;) {
    const last = await db
      .selectFrom(table)
      .select('id')
      .orderBy('id')
      .offset(chunk - 1)
      .limit(1)
      .executeTakeFirst()
    const rows = db.deleteFrom(table)
    await (last ? rows.where('id', '<=', last.id) : rows).execute()
    if (!last) return
    await nextTurn()
  }
}
