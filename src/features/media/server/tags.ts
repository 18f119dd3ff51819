import { invalid } from '#platform/errors.ts'
import type { Db, Row } from '#platform/server/db/tables.ts'
import { chunksOf } from '#shared/chunks.ts'
import { maxTags, tooManyTags } from '../limits.ts'
import type { Owned } from './owned.ts'
import { listTags } from './store.ts'
import type { MediaRow, TagRow } from './to-media.ts'

/** SQLite binds at most 32,766 values in a statement. */
const rowsAtOnce = 1000

export async function listOwnTags(db: Db, mediaId: number): Promise<TagRow[]> {
  return db
    .selectFrom('media_tags')
    .select(['tag', 'source', 'score'])
    .where('media_id', '=', mediaId)
    .orderBy('position')
    .execute()
}

/** Tags that the user removed or rejected. */
export async function listRemovedTags(db: Db, mediaId: number) {
  const rows = await db.selectFrom('removed_tags').select('tag').where('media_id', '=', mediaId).execute()
  return rows.map(({ tag }) => tag)
}

/**
 * [Note: Unwanted tags]
 * The AI neither adds nor suggests a tag that the user removed from the item, or one that it must never suggest. Everything
 * that applies or shows the findings of an AI asks here.
 */
export async function listUnwantedTags(db: Db, { id, owner_id }: Pick<MediaRow, 'id' | 'owner_id'>) {
  return [...(await listRemovedTags(db, id)), ...(await listNeverTags(db, owner_id))]
}

/** The same for items of one owner. */
export async function createUnwantedTags(db: Db, ownerId: number, mediaIds: number[]) {
  const rows = await db
    .selectFrom('removed_tags')
    .select(['media_id', 'tag'])
    .where('media_id', 'in', mediaIds)
    .execute()
  const removed = Map.groupBy(rows, ({ media_id }) => media_id)
  const never = await listNeverTags(db, ownerId)
  return (mediaId: number) => [...(removed.get(mediaId) ?? []).map(({ tag }) => tag), ...never]
}

export async function listNeverTags(db: Db, ownerId: number): Promise<string[]> {
  const settings = db.selectFrom('tag_settings').select('tag').where('owner_id', '=', ownerId)
  return (await settings.where('is_never', '=', 1).execute()).map(({ tag }) => tag)
}

/**
 * Writes an item's tags in the given order. A tag that the user keeps becomes the user's own; one that they remove is
 * remembered, so that the AI does not add it again.
 */
export async function setTagsByPerson(db: Db, media: Owned<MediaRow>, tags: string[]) {
  const wanted = [...new Set(tags)]
  const before = await listOwnTags(db, media.id)
  const known = new Map(before.map((row) => [row.tag, row]))
  const removed = before.filter(({ tag }) => !wanted.includes(tag))
  // A page sends all tags with every change; only if the tags differ has the user confirmed the others.
  const isChanged = removed.length > 0 || wanted.some((tag) => !known.has(tag))
  await rememberRemoved(
    db,
    removed.map(({ tag }) => ({ media_id: media.id, tag })),
  )
  await forgetRemoved(db, [media.id], wanted)
  await replaceTags(
    db,
    media,
    wanted.map((tag) => (isChanged ? { tag, source: 'person', score: null } : known.get(tag)!)),
  )
}

/** The caller has locked the item, so that its tags cannot change between reading and writing. */
export async function addTagsByPerson(db: Db, media: Owned<MediaRow>, tags: string[]) {
  const present = (await listOwnTags(db, media.id)).map(({ tag }) => tag)
  const wanted = [...new Set([...present, ...tags])]
  if (wanted.length > maxTags) throw invalid(tooManyTags)
  await setTagsByPerson(db, media, wanted)
}

export async function replaceTags(db: Db, media: Pick<MediaRow, 'id' | 'owner_id'>, tags: TagRow[]) {
  await db.deleteFrom('media_tags').where('media_id', '=', media.id).execute()
  if (tags.length === 0) return
  const rows = tags.map((tag, position) => ({ ...tag, position, media_id: media.id, owner_id: media.owner_id }))
  await db.insertInto('media_tags').values(rows).execute()
}

export async function rememberRemoved(db: Db, removed: Row<'removed_tags'>[]) {
  for (const rows of chunksOf(removed, rowsAtOnce)) {
    await db
      .insertInto('removed_tags')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

export async function forgetRemoved(db: Db, mediaIds: number[], tags: string[]) {
  if (mediaIds.length === 0 || tags.length === 0) return []
  const removed = db.deleteFrom('removed_tags').where('media_id', 'in', mediaIds).where('tag', 'in', tags)
  return removed.returning(['media_id', 'tag']).execute()
}

/** A tag that the user adds becomes the user's own even if the AI had added it before, so no analysis removes it. */
export async function keepTags(db: Db, mediaIds: number[], tags: string[]) {
  if (mediaIds.length === 0 || tags.length === 0) return
  await db
    .updateTable('media_tags')
    .set({ source: 'person', score: null })
    .where('media_id', 'in', mediaIds)
    .where('tag', 'in', tags)
    .where('source', '<>', 'person')
    .execute()
}

/** `after` is the position of the item's last tag, which may exceed the number of tags after an undo. */
export type Addition = { id: number; owner_id: number; after: number; tags: string[] }

/** Inserts tags of the user after the existing ones. Returns those that had been removed before. */
export async function insertTags(db: Db, additions: Addition[]) {
  const rows = additions.flatMap(({ id, owner_id, after, tags }) =>
    tags.map((tag, index) => ({
      media_id: id,
      owner_id,
      tag,
      position: after + 1 + index,
      source: 'person' as const,
      score: null,
    })),
  )
  for (const part of chunksOf(rows, rowsAtOnce)) {
    await db
      .insertInto('media_tags')
      .values(part)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
  const ids = additions.map(({ id }) => id)
  return forgetRemoved(db, ids, [...new Set(additions.flatMap(({ tags }) => tags))])
}

/** Returns the deleted tags. */
export async function deleteTags(db: Db, mediaIds: number[], tags: string[]) {
  const gone = db.deleteFrom('media_tags').where('media_id', 'in', mediaIds).where('tag', 'in', tags)
  return gone.returning(['media_id', 'tag']).execute()
}

/** Copies removed tags as well, so that the AI does not add them to the copy. */
export async function copyTags(db: Db, copies: { fromId: number; to: Pick<MediaRow, 'id' | 'owner_id'> }[]) {
  const targets = Map.groupBy(copies, ({ fromId }) => fromId)
  const ids = [...targets.keys()]
  const tags = (await listTags(db, ids)).flatMap(({ media_id, ...tag }) =>
    targets.get(media_id)!.map(({ to }) => ({ ...tag, media_id: to.id, owner_id: to.owner_id })),
  )
  for (const rows of chunksOf(tags, rowsAtOnce)) await db.insertInto('media_tags').values(rows).execute()
  const removed = await db.selectFrom('removed_tags').select(['media_id', 'tag']).where('media_id', 'in', ids).execute()
  const kept = removed.flatMap(({ media_id, tag }) =>
    targets.get(media_id)!.map(({ to }) => ({ media_id: to.id, tag })),
  )
  await rememberRemoved(db, kept)
}
