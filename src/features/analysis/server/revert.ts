import type { Kysely } from 'kysely'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { updateMedia } from '#features/media/server/store.ts'
import { forgetRemoved, listOwnTags, listUnwantedTags, replaceTags } from '#features/media/server/tags.ts'
import type { MediaRow, TagRow } from '#features/media/server/to-media.ts'
import { conflict } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { clearFailure } from './failures.ts'
import { findLastAnalysis, forgetAnalysis, Replaced } from './history.ts'

/** Restores the values from before the last analysis, except those the user changed since. */
export async function revertAnalysis(db: Kysely<Tables>, media: Owned<MediaRow>): Promise<MediaRow> {
  return db.transaction().execute(async (transaction) => {
    const reverted = await revertLast(transaction, media.id)
    if (!reverted) throw conflict('There is no analysis to revert.')
    await indexMedia(transaction, [media.id])
    return reverted
  })
}

/** With the key of a run, reverts only if its analysis is the item's latest. The caller updates the search index. */
export async function revertLast(db: Db, mediaId: number, runKey?: string): Promise<MediaRow | undefined> {
  const row = await updateMedia(db, mediaId, {})
  const last = await findLastAnalysis(db, mediaId)
  if (!row || !last || (runKey !== undefined && last.run_key !== runKey)) return undefined
  const replaced = Replaced.parse(JSON.parse(last.replaced))
  const isUserOwned = row.ai_description_source === 'person'
  const reverted = await updateMedia(db, mediaId, {
    ...(!isUserOwned && {
      ai_description: replaced.description,
      ai_description_source: replaced.descriptionSource,
    }),
    found_text: replaced.text,
    ai_status: replaced.provider ? 'done' : 'none',
    ai_error: null,
    ai_provider: replaced.provider,
    ai_model: replaced.model,
    ai_analysed_at: replaced.analysedAt,
  })
  await forgetRemoved(db, [mediaId], replaced.refused)
  await replaceTags(db, row, await tagsBefore(db, row, replaced))
  await forgetAnalysis(db, last.id)
  await clearFailure(db, mediaId)
  return reverted
}

async function tagsBefore(db: Db, row: MediaRow, replaced: Replaced): Promise<TagRow[]> {
  const removed = new Set(await listUnwantedTags(db, row))
  const now = await listOwnTags(db, row.id)
  const own = new Set(now.filter(({ source }) => source === 'person').map(({ tag }) => tag))
  const back = replaced.tags
    .filter(({ tag }) => !removed.has(tag) && !own.has(tag))
    .map(({ tag, score }): TagRow => ({ tag, score, source: 'ai' }))
  const kept = now.flatMap((tag) => (tag.source === 'person' ? tag : back.filter((other) => other.tag === tag.tag)))
  const known = new Set(now.map(({ tag }) => tag))
  const missing = back.filter(({ tag }) => !known.has(tag))
  return missing.reduce((tags, tag) => tags.toSpliced(placeOf(tag, tags, replaced.tagOrder), 0, tag), kept)
}

/** The position after the tag that it followed before, unless the user changed the order since. */
function placeOf({ tag }: TagRow, tags: TagRow[], order: string[]) {
  const before = order.slice(0, order.indexOf(tag))
  return 1 + tags.findLastIndex((other) => before.includes(other.tag))
}
