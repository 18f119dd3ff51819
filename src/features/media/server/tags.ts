import type { Db, Row } from '#platform/server/db/tables.ts'
import type { Owned } from './owned.ts'
import type { MediaRow } from './to-media.ts'

export type TagDraft = Pick<Row<'media_tags'>, 'tag' | 'source' | 'score'>

/**
 * Writes an item's tags in the given order. A tag that a person keeps is from then on theirs; one that they took away is
 * remembered, so that no model brings it back.
 */
export async function setTagsByPerson(db: Db, media: Owned<MediaRow>, tags: string[]) {
  const wanted = [...new Set(tags)]
  const before = await db
    .selectFrom('media_tags')
    .select(['tag', 'source', 'score'])
    .where('media_id', '=', media.id)
    .execute()
  const known = new Map(before.map((row) => [row.tag, row]))
  const removed = before.filter(({ tag }) => !wanted.includes(tag)).map(({ tag }) => tag)
  // A page sends all tags back with every change; only a person who changed them has thought about the others.
  const isChanged = removed.length > 0 || wanted.some((tag) => !known.has(tag))
  await rememberRemoved(db, media.id, removed)
  if (wanted.length > 0)
    await db.deleteFrom('removed_tags').where('media_id', '=', media.id).where('tag', 'in', wanted).execute()
  await replaceTags(
    db,
    media,
    wanted.map((tag) => (isChanged ? { tag, source: 'person', score: null } : known.get(tag)!)),
  )
}

export async function replaceTags(db: Db, media: Pick<MediaRow, 'id' | 'owner_id'>, tags: TagDraft[]) {
  await db.deleteFrom('media_tags').where('media_id', '=', media.id).execute()
  if (tags.length === 0) return
  const rows = tags.map((tag, position) => ({ ...tag, position, media_id: media.id, owner_id: media.owner_id }))
  await db.insertInto('media_tags').values(rows).execute()
}

export async function rememberRemoved(db: Db, mediaId: number, tags: string[]) {
  if (tags.length === 0) return
  await db
    .insertInto('removed_tags')
    .values(tags.map((tag) => ({ media_id: mediaId, tag })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** With what a person took off: no model brings that to the copy either. */
export async function copyTags(db: Db, fromId: number, to: Pick<MediaRow, 'id' | 'owner_id'>) {
  const tags = await db
    .selectFrom('media_tags')
    .select(['tag', 'source', 'score'])
    .where('media_id', '=', fromId)
    .orderBy('position')
    .execute()
  await replaceTags(db, to, tags)
  const removed = await db.selectFrom('removed_tags').select('tag').where('media_id', '=', fromId).execute()
  await rememberRemoved(
    db,
    to.id,
    removed.map(({ tag }) => tag),
  )
}
