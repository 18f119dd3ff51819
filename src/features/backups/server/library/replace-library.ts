import { setImmediate as nextTurn } from 'node:timers/promises'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import { markTrashLookedAt } from '#features/media/server/trash-time.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { reinstateAdmin, rememberAdmin } from './acting-admin.ts'
import { clearLibrary } from './clear-library.ts'
import type { LibraryColumns } from './columns.ts'
import { insertRecords } from './insert-records.ts'
import type { LibraryRecord } from './read-document.ts'

type Replacement = {
  records: AsyncIterable<LibraryRecord>
  columns: LibraryColumns
  /** Whose account and sessions outlive the change; nobody's in a scratch database. */
  adminId?: number
  /** When the records were the library. */
  madeAt?: number
}

/**
 * Puts the given records in the place of the library's, within the caller's transaction: whoever looks sees the old
 * library or the new one. The `blobs` rows of the files must be there already.
 */
export async function replaceLibrary(db: Db, { records, columns, adminId, madeAt }: Replacement) {
  const admin = adminId === undefined ? null : await rememberAdmin(db, adminId)
  await clearLibrary(db)
  await insertRecords(db, records, columns)
  await removeViewsOfNothing(db)
  for (const [name, { table }] of columns) {
    if (table.key.length === 1 && table.key[0] === 'id') await dialectOf(db).continueIds(db, name)
  }
  await indexAllMedia(db)
  if (madeAt !== undefined) await markTrashLookedAt(db, madeAt)
  return admin && (await reinstateAdmin(db, admin))
}

/** Older backups have them of what was deleted before; something new might get its number, and its visitors with it. */
async function removeViewsOfNothing(db: Db) {
  for (const [kind, table] of [
    ['media', 'media'],
    ['collection', 'collections'],
  ] as const) {
    await db
      .deleteFrom('share_views')
      .where('kind', '=', kind)
      .where('target_id', 'not in', (there) => there.selectFrom(table).select('id'))
      .execute()
  }
}

async function indexAllMedia(db: Db) {
  for (let last = 0; ; ) {
    const rows = await db.selectFrom('media').select('id').where('id', '>', last).orderBy('id').limit(500).execute()
    if (rows.length === 0) return
    await indexMedia(
      db,
      rows.map(({ id }) => id),
    )
    last = rows.at(-1)!.id
    await nextTurn()
  }
}

/** Everything goes but the account that asks; backups are no part of the library. */
export async function emptyLibrary(db: Db, adminId: number) {
  const admin = await rememberAdmin(db, adminId)
  await clearLibrary(db)
  if (admin) await reinstateAdmin(db, admin)
}
