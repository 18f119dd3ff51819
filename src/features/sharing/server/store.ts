import type { CollectionRow } from '#features/collections/server/store.ts'
import { focalColumns } from '#features/media/server/focal-point.ts'
import { itemsOf } from '#features/media/server/listing/collection-items.ts'
import { listTagsByMedia } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { partsToAsk } from '#platform/server/db/parts-to-ask.ts'
import type { Db } from '#platform/server/db/tables.ts'

/** The columns that a visitor's view needs; no others are read. */
const shownColumns = [
  'id',
  'filename',
  'type',
  'mime_type',
  'blob',
  'size',
  'width',
  'height',
  'duration',
  'is_animated',
  'thumbhash',
  'playback',
  'title',
  'alt_texts',
  'is_decorative',
  'creator',
  'credit',
  'licence',
  'user_description',
  'ai_description',
  'ai_description_source',
  'colours',
  ...focalColumns,
  'created_at',
] as const
export type ShownRow = Pick<MediaRow, (typeof shownColumns)[number]>

export type Member = { row: ShownRow; tags: string[] }

/** The items that visitors see, in the owner's order. */
export async function listVisibleMembers(db: Db, collection: CollectionRow, page?: { limit: number; offset: number }) {
  const items = await itemsOf(db, collection)
  return addTags(db, await items.inOrder(page).select(shownColumns).execute())
}

export async function listVisibleIds(db: Db, collection: CollectionRow) {
  const items = await itemsOf(db, collection)
  return (await items.inOrder().select('media.id').execute()).map(({ id }) => id)
}

/** The ids' items that are still visible, in this order. */
export async function listVisibleAmong(db: Db, collection: CollectionRow, ids: number[]) {
  const items = await itemsOf(db, collection)
  return addTags(db, await items.among(ids).select(shownColumns).execute())
}

/** One visible item with everything its file needs. */
export async function findVisibleMember(
  db: Db,
  collection: CollectionRow,
  mediaId: number,
): Promise<MediaRow | undefined> {
  const items = await itemsOf(db, collection)
  return items.among([mediaId]).selectAll('media').executeTakeFirst()
}

export async function addTags(db: Db, rows: ShownRow[]): Promise<Member[]> {
  const members: Member[] = []
  for (const part of partsToAsk(rows)) {
    const ids = part.map(({ id }) => id)
    const tags = await listTagsByMedia(db, ids)
    for (const row of part) members.push({ row, tags: (tags.get(row.id) ?? []).map(({ tag }) => tag) })
  }
  return members
}

/** The chosen cover while it is in the collection, else the first image. */
export async function findCover(db: Db, collection: CollectionRow): Promise<ShownRow | undefined> {
  const { cover_media_id } = collection
  const items = await itemsOf(db, collection)
  const chosen = cover_media_id === null ? undefined : items.among([cover_media_id])
  return (
    (await chosen?.select(shownColumns).executeTakeFirst()) ??
    items.inOrder({ limit: 1 }).select(shownColumns).executeTakeFirst()
  )
}

/** The owner's item that a logo or header image shows; undefined for an address of another website. */
export async function findBrandingPicture(db: Db, ownerId: number, address = '') {
  const id = Number(/^\/files\/(\d{1,15})\//.exec(address)?.[1])
  if (!id) return undefined
  const items = db.selectFrom('media').select(['width', 'height', 'colours', ...focalColumns])
  return items.where('id', '=', id).where('owner_id', '=', ownerId).executeTakeFirst()
}

export async function findOwnerName(db: Db, ownerId: number) {
  const row = await db.selectFrom('users').select('username').where('id', '=', ownerId).executeTakeFirst()
  return row?.username ?? null
}

export async function listViewsByDay(db: Db, kind: 'media' | 'collection', targetId: number, since: string) {
  return db
    .selectFrom('share_views')
    .select(['day', 'views'])
    .where('kind', '=', kind)
    .where('target_id', '=', targetId)
    .where('day', '>=', since)
    .orderBy('day')
    .execute()
}
