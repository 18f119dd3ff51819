import { z } from 'zod'
import { maxTags } from '#features/media/limits.ts'
import { type ChangedItem, mediaIdOf, type PutBack } from '#features/media/server/history.ts'
import { listTagsByMedia, updateManyMedia } from '#features/media/server/store.ts'
import { deleteTags, forgetRemoved, keepTags, rememberRemoved } from '#features/media/server/tags.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import type { Db, Row } from '#platform/server/db/tables.ts'
import type { RunItem } from '#platform/server/runs/runs-store.ts'
import { chunksOf } from '#shared/chunks.ts'
import { restoreSettings } from './tag-settings.ts'

/** Tags that are replaced by one tag, or removed if that is null. */
export type TagEdit = { from: string[]; into: string | null }

/** What one side of a change says about the edited tags of an item, and about those that the AI must not add to it. */
const Recorded = z.object({
  tags: z.array(
    z.object({
      tag: z.string(),
      position: z.number().int(),
      source: z.enum(['ai', 'person']),
      score: z.number().nullable(),
    }),
  ),
  removed: z.array(z.string()),
})
type Recorded = z.infer<typeof Recorded>

/**
 * Edits at most a few hundred locked items. The tag that replaces others is the user's own, so that no analysis removes it;
 * the others are remembered as removed, so that no analysis adds them again. The caller updates the search index.
 */
export async function editTags(
  transaction: Db,
  media: Pick<MediaRow, 'id' | 'owner_id'>[],
  { from, into }: TagEdit,
): Promise<{ items: ChangedItem[]; tagCount: number }> {
  const present = await listTagsByMedia(
    transaction,
    media.map(({ id }) => id),
  )
  const gone = new Set(from)
  const edited = media.flatMap((item) => {
    const own = present.get(item.id) ?? []
    const replaced = own.filter(({ tag }) => gone.has(tag))
    return replaced.length === 0 ? [] : [{ ...item, replaced, kept: own.find(({ tag }) => tag === into) }]
  })
  const ids = edited.map(({ id }) => id)
  if (ids.length === 0) return { items: [], tagCount: 0 }
  await deleteTags(transaction, ids, from)
  const wanted = into === null ? [] : [into]
  const forgotten = Map.groupBy(await forgetRemoved(transaction, ids, wanted), ({ media_id }) => media_id)
  await keepTags(transaction, ids, wanted)
  const items = edited.map(({ id, replaced, kept }) => {
    const position = kept?.position ?? replaced[0]!.position
    const before: Recorded = {
      tags: [...replaced, ...(kept ? [kept] : [])].map(({ media_id: _, ...tag }) => tag),
      removed: (forgotten.get(id) ?? []).map(({ tag }) => tag),
    }
    const after: Recorded = {
      tags: wanted.map((tag) => ({ tag, position, source: 'person', score: null })),
      removed: replaced.map(({ tag }) => tag),
    }
    return { id, before, after }
  })
  const added = edited.filter(({ kept }) => !kept)
  const afterOf = new Map(items.map(({ id, after }) => [id, after]))
  await insertRows(
    transaction,
    added.flatMap(({ id, owner_id }) => afterOf.get(id)!.tags.map((tag) => ({ media_id: id, owner_id, ...tag }))),
  )
  await rememberRemoved(
    transaction,
    items.flatMap(({ id, after }) => after.removed.map((tag) => ({ media_id: id, tag }))),
  )
  // The meaning search finds changed items by `updated_at`, which this sets.
  await updateManyMedia(transaction, ids, {})
  return {
    items: items.map(({ id, before, after }) => ({
      mediaId: id,
      before: JSON.stringify(before),
      after: JSON.stringify(after),
    })),
    tagCount: edited.reduce((sum, { replaced }) => sum + replaced.length, 0),
  }
}

/** Restores the tags of items whose edited tags are still as the change left them; see [Note: Undo never overwrites]. */
export const putTagsBack: PutBack = async (transaction, items) => {
  await restoreSettings(transaction, items[0]!.run_id)
  const ids = items.map(mediaIdOf)
  const owners = await transaction.selectFrom('media').select(['id', 'owner_id']).where('id', 'in', ids).execute()
  const ownerOf = new Map(owners.map(({ id, owner_id }) => [id, owner_id]))
  const present = await listTagsByMedia(transaction, ids)
  const recorded = items.filter((item) => ownerOf.has(mediaIdOf(item))).map(readItem)
  const unchanged = recorded.filter(({ id, before, after }) => {
    const own = new Map((present.get(id) ?? []).map((row) => [row.tag, row]))
    const hasAfter = after.tags.every(({ tag, source }) => own.get(tag)?.source === source)
    const hasBefore = before.tags.some(({ tag }) => own.has(tag) && !after.tags.some((other) => other.tag === tag))
    return hasAfter && !hasBefore && own.size - after.tags.length + before.tags.length <= maxTags
  })
  for (const [output, some] of Map.groupBy(unchanged, ({ output }) => output)) {
    const after = Recorded.parse(JSON.parse(output))
    const same = some.map(({ id }) => id)
    const tags = after.tags.map(({ tag }) => tag)
    if (tags.length > 0) await deleteTags(transaction, same, tags)
    await forgetRemoved(transaction, same, after.removed)
  }
  await insertRows(
    transaction,
    unchanged.flatMap(({ id, before }) =>
      before.tags.map((tag) => ({ media_id: id, owner_id: ownerOf.get(id)!, ...tag })),
    ),
  )
  const removed = unchanged.flatMap(({ id, before }) => before.removed.map((tag) => ({ media_id: id, tag })))
  await rememberRemoved(transaction, removed)
  const undone = unchanged.map(({ id }) => id)
  await updateManyMedia(transaction, undone, {})
  return undone
}

function readItem(item: RunItem) {
  const [before, after] = [item.input, item.output].map((json) => Recorded.parse(JSON.parse(json!)))
  return { id: mediaIdOf(item), before: before!, after: after!, output: item.output! }
}

async function insertRows(db: Db, rows: Row<'media_tags'>[]) {
  for (const part of chunksOf(rows, 1000)) await db.insertInto('media_tags').values(part).execute()
}
