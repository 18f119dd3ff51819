import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely'
import { conflict, notFound } from '#platform/errors.ts'
import type { Db, Row, Tables } from '#platform/server/db/tables.ts'
import { safeTypedName, splitExtension } from '#shared/filenames.ts'
import { sortKey } from '#shared/fold.ts'
import { maxEarlierVersions, type VersionCause } from '../limits.ts'
import type { Owned } from './owned.ts'
import { lockCounters, lockItem, lockMedia, updateMedia } from './store.ts'
import type { MediaRow } from './to-media.ts'

/**
 * [Note: Versions]
 * An item keeps its id, addresses and words when its file is replaced, and its last files are kept as versions. An item whose
 * file was never replaced has no rows here. Otherwise one row is the current file (`replaced_at` is null), so that going
 * back to an earlier file only exchanges which row that is.
 */
type VersionRow = Row<'media_versions'>

/** The columns that describe the bytes, which an item and a version have in common. */
const fileColumns = [
  'filename',
  'mime_type',
  'blob',
  'size',
  'width',
  'height',
  'duration',
  'is_animated',
  'processing_error',
  'playback',
  'sprite',
  'thumbhash',
  'colours',
  'perceptual_hash',
  'exif',
  'taken_at',
] as const satisfies (keyof MediaRow & keyof VersionRow)[]
type FileFacts = Pick<MediaRow, (typeof fileColumns)[number]>

const factsOf = (row: FileFacts) => Object.fromEntries(fileColumns.map((name) => [name, row[name]])) as FileFacts

export type NewFile = {
  cause: Exclude<VersionCause, 'upload'>
  madeBy: number
  /** The replaced file is deleted after as many days as trash. */
  isExpiring?: boolean
}

/** Gives a locked item another file and keeps the one it has. Facts that are not given stay. */
export async function changeFile(
  transaction: Db,
  current: Owned<MediaRow>,
  facts: Partial<FileFacts>,
  { cause, madeBy, isExpiring = false }: NewFile,
): Promise<Owned<MediaRow>> {
  await lockCounters(transaction, [current.id])
  await leaveFile(transaction, current, isExpiring)
  const next = factsOf({ ...current, ...facts })
  const { id, owner_id } = current
  await transaction
    .insertInto('media_versions')
    .values({ ...next, media_id: id, owner_id, cause, made_by: madeBy, made_at: Date.now() })
    .execute()
  await deleteBeyondLimit(transaction, id)
  return (await updateMedia(transaction, id, { ...next, name_key: sortKey(next.filename) })) as Owned<MediaRow>
}

/** Records the item's file as an earlier one. */
async function leaveFile(db: Db, current: MediaRow, isExpiring: boolean) {
  const { own_focal_x, own_focal_y } = current
  const focal = { own_focal_x, own_focal_y }
  const left = {
    ...factsOf(current),
    ...focal,
    replaced_at: Date.now(),
    is_expiring: isExpiring ? (1 as const) : (0 as const),
  }
  const { numUpdatedRows } = await db
    .updateTable('media_versions')
    .set(left)
    .where('media_id', '=', current.id)
    .where('replaced_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return
  const { id, owner_id, created_at } = current
  const first = { media_id: id, owner_id, cause: 'upload' as const, made_by: owner_id, made_at: created_at }
  await db
    .insertInto('media_versions')
    .values({ ...left, ...first })
    .execute()
}

async function deleteBeyondLimit(db: Db, mediaId: number) {
  const beyond = await db
    .selectFrom('media_versions')
    .select('id')
    .where('media_id', '=', mediaId)
    .where('replaced_at', 'is not', null)
    .orderBy('replaced_at', 'desc')
    .orderBy('id', 'desc')
    .offset(maxEarlierVersions)
    .limit(100)
    .execute()
  for (const { id } of beyond) await db.deleteFrom('media_versions').where('id', '=', id).execute()
}

/** Another item's version is not found. */
export async function loadVersion(db: Db, media: Owned<MediaRow>, versionId: number): Promise<VersionRow> {
  const row = await db
    .selectFrom('media_versions')
    .selectAll()
    .where('id', '=', versionId)
    .where('media_id', '=', media.id)
    .executeTakeFirst()
  if (!row) throw notFound('Version')
  return row
}

/** The item's last earlier file with these bytes. */
export async function findEarlierFile(db: Db, { id }: Pick<MediaRow, 'id'>, blob: string) {
  return db
    .selectFrom('media_versions')
    .selectAll()
    .where('media_id', '=', id)
    .where('blob', '=', blob)
    .where('replaced_at', 'is not', null)
    .orderBy('replaced_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export const isCurrent = ({ replaced_at }: Pick<VersionRow, 'replaced_at'>) => replaced_at === null

/** Makes an earlier file of a locked item its file again. The name keeps what the user gave it. */
export async function returnToVersion(
  transaction: Db,
  current: Owned<MediaRow>,
  version: VersionRow,
  { isExpiring = false } = {},
): Promise<Owned<MediaRow>> {
  await lockCounters(transaction, [current.id])
  await leaveFile(transaction, current, isExpiring)
  await transaction
    .updateTable('media_versions')
    .set({ replaced_at: null, is_expiring: 0 })
    .where('id', '=', version.id)
    .execute()
  const { extension } = splitExtension(version.filename)
  const filename = safeTypedName(splitExtension(current.filename).stem + extension)
  const { own_focal_x, own_focal_y } = version
  const { exif, taken_at } = current
  // What was chosen or found since then holds for the same picture, as after a conversion.
  const isSame = isExpiring || showsTheSame(current, version)
  const facts = { ...factsOf(version), ...(isSame ? { exif, taken_at } : { own_focal_x, own_focal_y }) }
  // An analysis in progress read the other file and ends without a result.
  const analysis = isExpiring && current.ai_status === 'waiting' ? { ai_status: 'none' as const } : {}
  const changes = { ...facts, ...analysis, filename, name_key: sortKey(filename) }
  return (await updateMedia(transaction, current.id, changes)) as Owned<MediaRow>
}

/** A conversion keeps all facts of the picture, so nothing has to be found in it again. */
export const showsTheSame = (item: MediaRow, version: VersionRow) =>
  item.mime_type !== version.mime_type &&
  item.perceptual_hash === version.perceptual_hash &&
  item.thumbhash === version.thumbhash &&
  item.width === version.width

type Listed = VersionRow & { username: string | null }

/** The current file first, then the earlier ones, the last one first; without a row, the item's only file. */
export async function listVersions(db: Db, media: Owned<MediaRow>): Promise<Listed[]> {
  const rows = await db
    .selectFrom('media_versions')
    .leftJoin('users', 'users.id', 'media_versions.made_by')
    .selectAll('media_versions')
    .select('users.username')
    .where('media_id', '=', media.id)
    .orderBy(sql`CASE WHEN replaced_at IS NULL THEN 0 ELSE 1 END`)
    .orderBy('replaced_at', 'desc')
    .orderBy('media_versions.id', 'desc')
    .execute()
  return rows.map((row) => (isCurrent(row) ? { ...row, ...factsOf(media) } : row))
}

export async function deleteVersion(db: Kysely<Tables>, media: Owned<MediaRow>, versionId: number) {
  await db.transaction().execute(async (transaction) => {
    const version = await loadVersion(transaction, await lockItem(transaction, media), versionId)
    if (isCurrent(version)) throw conflict('The current file cannot be deleted as a version. Delete the item instead.')
    await lockCounters(transaction, [media.id])
    await transaction.deleteFrom('media_versions').where('id', '=', versionId).execute()
  })
}

const batch = 500

export const deleteEarlierVersions = (db: Kysely<Tables>, ownerId: number) =>
  deleteVersions(db, (rows) => rows('owner_id', '=', ownerId))

/** Deletes files whose time is over; see [Note: Time in the trash]. */
export const deleteExpiredVersions = (db: Kysely<Tables>, before: number) =>
  deleteVersions(db, (rows) => rows('is_expiring', '=', 1).and('replaced_at', '<', before))

type Filter = (rows: ExpressionBuilder<Tables, 'media_versions'>) => Expression<SqlBool>

/** In small transactions, so that other writers do not wait long. Returns how many were deleted. */
async function deleteVersions(db: Kysely<Tables>, filter: Filter) {
  for (let deleted = 0; ; ) {
    const { found, gone } = await db.transaction().execute(async (transaction) => {
      const earlier = transaction
        .selectFrom('media_versions')
        .select(['id', 'media_id'])
        .where('replaced_at', 'is not', null)
        .where(filter)
      const rows = await earlier.limit(batch).execute()
      if (rows.length === 0) return { found: 0, gone: 0 }
      const mediaIds = [...new Set(rows.map(({ media_id }) => media_id))]
      await lockMedia(transaction, mediaIds)
      await lockCounters(transaction, mediaIds)
      // One may be current again by now.
      const { numDeletedRows } = await transaction
        .deleteFrom('media_versions')
        .where(
          'id',
          'in',
          rows.map(({ id }) => id),
        )
        .where('replaced_at', 'is not', null)
        .where(filter)
        .executeTakeFirst()
      return { found: rows.length, gone: Number(numDeletedRows) }
    })
    if (found === 0) return deleted
    deleted += gone
  }
}

/** Postpones the end of versions by a gap that does not count; see [Note: Time in the trash]. */
export async function shiftExpiring(db: Db, { until, byMs, now }: { until: number; byMs: number; now: number }) {
  const expiring = db.updateTable('media_versions').where('is_expiring', '=', 1)
  if (byMs > 0)
    await expiring
      .set(({ eb }) => ({ replaced_at: eb('replaced_at', '+', byMs) }))
      .where('replaced_at', '<=', until)
      .execute()
  await expiring.set({ replaced_at: now }).where('replaced_at', '>', now).execute()
}
