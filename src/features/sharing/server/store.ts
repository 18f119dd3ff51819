import { type CollectionRow, membersInOrder, visibleMembers } from '#features/collections/server/store.ts'
import { focalColumns } from '#features/media/server/focal-point.ts'
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
export async function listVisibleMembers(db: Db, collectionId: number, page?: { limit: number; offset: number }) {
  let members = membersInOrder(db, collectionId).select(shownColumns)
  if (page) members = members.limit(page.limit).offset(page.offset)
  return addTags(db, await members.execute())
}

export async function listVisibleIds(db: Db, collectionId: number) {
  const members = await membersInOrder(db, collectionId).select('media.id').execute()
  return members.map(({ id }) => id)
}

/** The ids' items that are still visible, in this order. */
export async function listVisibleAmong(db: Db, collectionId: number, ids: number[]) {
  const rows = await membersInOrder(db, collectionId).select(shownColumns).where('media.id', 'in', ids).execute()
  return addTags(db, rows)
}

/** One visible item with everything its file needs. */
export async function findVisibleMember(db: Db, collectionId: number, mediaId: number): Promise<MediaRow | undefined> {
  return visibleMembers(db, collectionId).selectAll('media').where('media.id', '=', mediaId).executeTakeFirst()
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
export async function findCover(db: Db, { id, cover_media_id }: CollectionRow): Promise<ShownRow | undefined> {
  const chosen =
    cover_media_id === null
      ? undefined
      : await visibleMembers(db, id).select(shownColumns).where('media.id', '=', cover_media_id).executeTakeFirst()
  return chosen ?? membersInOrder(db, id).select(shownColumns).limit(1).executeTakeFirst()
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
