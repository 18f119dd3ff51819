import { type SqlBool, sql } from 'kysely'
import { countRows } from '#platform/server/db/count-rows.ts'
import type { Db, Row } from '#platform/server/db/tables.ts'

export type RemoteObject = Row<'imagekit_objects'>
type Plan = Pick<RemoteObject, 'folder' | 'kind' | 'blob' | 'media_id' | 'file_path' | 'bytes'>

/** Records a file before it is sent, so that a retry after a crash sends it to the same path. */
export async function planObject(db: Db, plan: Plan): Promise<RemoteObject> {
  if (plan.kind === 'public') await markOutdatedForRemoval(db, plan)
  await db
    .insertInto('imagekit_objects')
    .values({ ...plan, state: 'sending', created_at: Date.now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return db
    .selectFrom('imagekit_objects')
    .selectAll()
    .where('kind', '=', plan.kind)
    .where('blob', '=', plan.blob)
    .where('media_id', plan.media_id === null ? 'is' : '=', plan.media_id)
    .where('state', '!=', 'leaving')
    .executeTakeFirstOrThrow()
}

/** Marks public copies of the item's earlier bytes for removal. */
async function markOutdatedForRemoval(db: Db, { media_id, blob }: Plan) {
  await db
    .updateTable('imagekit_objects')
    .set({ state: 'leaving' })
    .where('kind', '=', 'public')
    .where('media_id', '=', media_id)
    .where('blob', '!=', blob)
    .execute()
}

/** Returns false if the file was marked for removal while it was being sent. */
export async function confirmObject(
  db: Db,
  folder: string,
  sent: { file_id: string; file_path: string; bytes?: number },
) {
  const { numUpdatedRows } = await db
    .updateTable('imagekit_objects')
    .set({ ...sent, state: 'kept' })
    .where('folder', '=', folder)
    .where('state', '!=', 'leaving')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * [Note: Conditions of partial indexes]
 * The partial indexes cover rows with `state <> 'leaving'`. SQLite does not infer this from `state = 'kept'`, so queries
 * repeat the condition.
 */
export async function findOriginal(db: Db, blob: string) {
  return db
    .selectFrom('imagekit_objects')
    .selectAll()
    .where('kind', '=', 'original')
    .where('blob', '=', blob)
    .where('state', '=', 'kept')
    .where('state', '!=', 'leaving')
    .executeTakeFirst()
}

/** The next stored original after the given one. */
export async function findOriginalAfter(db: Db, blob: string) {
  return db
    .selectFrom('imagekit_objects')
    .selectAll()
    .where('kind', '=', 'original')
    .where('state', '=', 'kept')
    .where('state', '!=', 'leaving')
    .where('blob', '>', blob)
    .orderBy('blob')
    .limit(1)
    .executeTakeFirst()
}

/**
 * Within a transaction this locks the row, so that the remote file is not marked for removal before the local one is gone.
 */
export async function markOnly(db: Db, folder: string, isOnly: boolean) {
  const { numUpdatedRows } = await db
    .updateTable('imagekit_objects')
    .set({ is_only: isOnly ? 1 : 0 })
    .where('folder', '=', folder)
    .where('state', '=', 'kept')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function markForRemoval(db: Db, folder: string) {
  await db.updateTable('imagekit_objects').set({ state: 'leaving' }).where('folder', '=', folder).execute()
}

/** Marks public copies of items that are no longer public or have other bytes, and originals without an item. */
export async function markUnwantedForRemoval(db: Db) {
  await db
    .updateTable('imagekit_objects')
    .set({ state: 'leaving' })
    .where('state', '!=', 'leaving')
    .where(({ or, and, eb, not, exists, selectFrom }) =>
      or([
        and([
          eb('kind', '=', 'public'),
          not(
            exists(
              selectFrom('media')
                .select('media.id')
                .whereRef('media.id', '=', 'imagekit_objects.media_id')
                .whereRef('media.blob', '=', 'imagekit_objects.blob')
                .where('media.public_slug', 'is not', null)
                .where('media.is_trashed', '=', 0),
            ),
          ),
        ]),
        and([
          eb('kind', '=', 'original'),
          not(
            exists(selectFrom('blobs').select('blobs.sha256').whereRef('blobs.sha256', '=', 'imagekit_objects.blob')),
          ),
        ]),
      ]),
    )
    .execute()
}

/** Marks everything except stored originals: public copies and incomplete uploads. */
export async function markCopiesForRemoval(db: Db) {
  await db
    .updateTable('imagekit_objects')
    .set({ state: 'leaving' })
    .where((where) => where.or([where('kind', '=', 'public'), where('state', '=', 'sending')]))
    .execute()
}

export async function findLeavingAfter(db: Db, folder: string) {
  return db
    .selectFrom('imagekit_objects')
    .selectAll()
    .where('state', '=', 'leaving')
    .where('folder', '>', folder)
    .orderBy('folder')
    .limit(1)
    .executeTakeFirst()
}

export async function deleteObject(db: Db, folder: string) {
  await db.deleteFrom('imagekit_objects').where('folder', '=', folder).where('state', '=', 'leaving').execute()
}

export async function hasPublicCopies(db: Db, of: number[] | 'any') {
  if (of.length === 0) return false
  const found = await db
    .selectFrom('imagekit_objects')
    .select('folder')
    .where('kind', '=', 'public')
    .where('state', '!=', 'leaving')
    .$if(of !== 'any', (query) => query.where('media_id', 'in', of as number[]))
    .executeTakeFirst()
  return found !== undefined
}

/** The next item after the given one whose original or public copy is not at ImageKit yet. */
export async function findWithoutCopy(db: Db, afterId: number) {
  return withCopies(db)
    .selectAll('media')
    .where('media.id', '>', afterId)
    .where(({ not }) => not(isFullyCopied))
    .orderBy('media.id')
    .limit(1)
    .executeTakeFirst()
}

export async function countCopies(db: Db) {
  const [copies, total, { files, only }] = await Promise.all([
    countRows(withCopies(db).where(isFullyCopied)),
    countRows(db.selectFrom('media')),
    db
      .selectFrom('imagekit_objects')
      .select(({ fn }) => [fn.countAll<number>().as('files'), fn.sum<number | null>('is_only').as('only')])
      .where('kind', '=', 'original')
      .where('state', '=', 'kept')
      .executeTakeFirstOrThrow(),
  ])
  return { copies, total, files, onlyThere: only ?? 0 }
}

/** See [Note: Conditions of partial indexes]. */
const withCopies = (db: Db) =>
  db
    .selectFrom('media')
    .leftJoin('imagekit_objects as original', (join) =>
      join
        .onRef('original.blob', '=', 'media.blob')
        .on('original.kind', '=', 'original')
        .on('original.state', '=', 'kept')
        .on('original.state', '!=', 'leaving'),
    )
    .leftJoin('imagekit_objects as shown', (join) =>
      join
        .onRef('shown.media_id', '=', 'media.id')
        .onRef('shown.blob', '=', 'media.blob')
        .on('shown.kind', '=', 'public')
        .on('shown.state', '=', 'kept')
        .on('shown.state', '!=', 'leaving'),
    )

const isFullyCopied = sql<SqlBool>`(original.folder IS NOT NULL
  AND (shown.folder IS NOT NULL OR media.public_slug IS NULL OR media.is_trashed = 1))`

/** The name of any item with these bytes. */
export async function findNameOf(db: Db, blob: string) {
  const media = await db.selectFrom('media').select('filename').where('blob', '=', blob).executeTakeFirst()
  return media?.filename
}
