import { type Kysely, sql } from 'kysely'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Tables } from '#platform/server/db/tables.ts'

/**
 * [Note: Known checksums]
 * A ZIP file says the CRC-32 of each of its files. Whoever reads a file through for a backup and finds it to be what its name
 * promises notes that too, and from then on a download compares the sum that it makes in any case instead of hashing: a bit
 * that has changed shows in both. It is never believed of anything that a stranger says, so it is in no backup.
 */
export type Checksum = { sha256: string; crc32: number }

/** At most a few hundred at once. Rows that somebody is changing are left for another time: nobody waits for this. */
export async function noteChecksums(db: Kysely<Tables>, found: Checksum[]) {
  if (found.length === 0) return
  const sums = new Map(found.map(({ sha256, crc32 }) => [sha256, crc32]))
  await db.transaction().execute(async (transaction) => {
    const blobs = transaction
      .selectFrom('blobs')
      .select('sha256')
      .where('sha256', 'in', [...sums.keys()])
    const free = await dialectOf(db).lockFreeRows(blobs).execute()
    if (free.length === 0) return
    const rows = free.map(({ sha256 }) => sql`(${sha256}, CAST(${sums.get(sha256)!} AS BIGINT))`)
    await sql`UPDATE blobs SET crc32 = noted.column2 FROM (VALUES ${sql.join(rows)}) AS noted
      WHERE blobs.sha256 = noted.column1`.execute(transaction)
  })
}

export async function loadChecksums(db: Kysely<Tables>, names: string[]) {
  const rows = await db
    .selectFrom('blobs')
    .select(['sha256', 'crc32'])
    .where('sha256', 'in', names)
    .where('crc32', 'is not', null)
    .$narrowType<{ crc32: number }>()
    .execute()
  return new Map(rows.map(({ sha256, crc32 }) => [sha256, crc32]))
}

export async function forgetChecksum(db: Kysely<Tables>, sha256: string) {
  await db.updateTable('blobs').set({ crc32: null }).where('sha256', '=', sha256).execute()
}
