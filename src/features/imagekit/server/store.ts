import { z } from 'zod'
import type { Db, Row } from '#platform/server/db/tables.ts'

const Run = z.object({
  state: z.enum(['running', 'stopping', 'ended']),
  migrated: z.number(),
  failed: z.number(),
  errors: z.array(z.string()),
})
export type Run = z.infer<typeof Run>

const name = 'imagekit-run'
export const noRun: Run = { state: 'ended', migrated: 0, failed: 0, errors: [] }

export async function loadRun(db: Db): Promise<Run> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst()
  return row ? Run.parse(JSON.parse(row.value)) : noRun
}

export async function saveRun(db: Db, run: Run) {
  const value = JSON.stringify(run)
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

export async function countCopies(db: Db) {
  const count = async (table: 'imagekit_files' | 'media') =>
    (
      await db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
    ).count
  return { copies: await count('imagekit_files'), total: await count('media') }
}

/** Items after the given one whose bytes have no copy yet. */
export async function listWithoutCopy(db: Db, afterId: number, limit: number) {
  return db
    .selectFrom('media')
    .leftJoin('imagekit_files as copy', (join) =>
      join.onRef('copy.media_id', '=', 'media.id').onRef('copy.blob', '=', 'media.blob'),
    )
    .selectAll('media')
    .where('media.id', '>', afterId)
    .where('copy.media_id', 'is', null)
    .orderBy('media.id')
    .limit(limit)
    .execute()
}

export async function findCopy(db: Db, mediaId: number) {
  return db.selectFrom('imagekit_files').selectAll().where('media_id', '=', mediaId).executeTakeFirst()
}

export async function listCopies(db: Db, limit: number) {
  return db
    .selectFrom('imagekit_files')
    .innerJoin('media', 'media.id', 'imagekit_files.media_id')
    .select(['imagekit_files.media_id', 'imagekit_files.file_id', 'media.blob', 'media.filename'])
    .orderBy('imagekit_files.media_id')
    .limit(limit)
    .execute()
}

export async function saveCopy(db: Db, copy: Row<'imagekit_files'>) {
  const { media_id: _id, ...changes } = copy
  await db
    .insertInto('imagekit_files')
    .values(copy)
    .onConflict((conflict) => conflict.column('media_id').doUpdateSet(changes))
    .execute()
}

export async function deleteCopy(db: Db, mediaId: number) {
  await db.deleteFrom('imagekit_files').where('media_id', '=', mediaId).execute()
}
