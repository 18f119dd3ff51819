import type { Kysely, Updateable } from 'kysely'
import { replaceCover, takePlaces } from '#features/collections/server/store.ts'
import { maxTags } from '#features/media/limits.ts'
import { type ChangedItem, recordChangedItems } from '#features/media/server/history.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import { firstVersionOf } from '#features/media/server/media.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { moveSlugs } from '#features/media/server/slugs.ts'
import {
  loadOwnedMediaList,
  lockCounters,
  lockMedia,
  lockOwnedMedia,
  updateManyMedia,
  updateMedia,
} from '#features/media/server/store.ts'
import { forgetRemoved, listOwnTags, replaceTags } from '#features/media/server/tags.ts'
import type { MediaRow, TagRow } from '#features/media/server/to-media.ts'
import { moveLocked } from '#features/media/server/trash.ts'
import { AppError, conflict, invalid } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { countOf } from '#shared/count.ts'
import { insertChange } from './history.ts'
import type { MergedAway, MergedInto } from './undo-merge.ts'

/** What the kept item takes over where it has nothing of its own, from the first of the others that has it. */
const takenFields = ['user_description', 'title', 'creator', 'credit', 'licence', 'source_url'] as const

type Merge = { keptId: number; mediaIds: number[] }

/**
 * Moves duplicates to the trash. The item that is kept gets their tags, collections, texts and public addresses in the same
 * transaction, and their derived versions become its own.
 */
export async function mergeItems(db: Kysely<Tables>, ownerId: number, { keptId, mediaIds }: Merge) {
  const otherIds = [...new Set(mediaIds)].filter((id) => id !== keptId)
  if (otherIds.length === 0) throw invalid('Select at least one item to merge.')
  return db.transaction().execute(async (transaction) => {
    // Their versions change as well; see [Note: Items are locked first].
    await lockMedia(transaction, [keptId, ...otherIds, ...(await listVersions(transaction, ownerId, otherIds))])
    const rows = await lockOwnedMedia(transaction, ownerId, [keptId, ...otherIds])
    const kept = rows.find(({ id }) => id === keptId)
    const others = otherIds.flatMap((id) => rows.find((row) => row.id === id) ?? [])
    if (!kept || others.length < otherIds.length) throw itemsGone()
    if (rows.some(({ is_trashed }) => is_trashed === 1)) {
      throw conflict('Some of these items are in the Trash. Restore them first, or reload the page.')
    }
    await lockCounters(transaction, [keptId, ...otherIds])

    const tags = await takeTags(transaction, kept, others)
    const collections = await takeCollections(transaction, kept, others)
    const slugs = await takeSlugs(transaction, kept, others)
    const fields = fieldsOf(kept, others)
    const versions = await takeVersions(transaction, kept, others)
    const after = { ...fields, ...slugs.ofKept }
    await updateMedia(transaction, kept.id, after)
    await moveLocked(transaction, otherIds, true)
    await indexMedia(transaction, [kept.id])

    const title = `Merged ${countOf(rows.length, 'item')} into "${kept.filename}"`
    const change = await insertChange(transaction, { ownerId, kind: 'merge', title })
    const before = Object.fromEntries(Object.keys(after).map((key) => [key, kept[key as keyof MediaRow]]))
    const into: MergedInto = { before, after, ...tags, ...collections }
    const changed: ChangedItem[] = others.map(({ id }) => {
      const away: MergedAway = { keptId, slugs: slugs.moved.get(id) ?? [], versions: versions.get(id) ?? [] }
      return { mediaId: id, before: null, after: JSON.stringify(away) }
    })
    await recordChangedItems(transaction, change, [
      // First, so that undo has given the addresses back before the others take them.
      { mediaId: kept.id, before: JSON.stringify(into), after: null },
      ...changed,
    ])
    return {
      message: `${countOf(otherIds.length, 'item')} moved to the Trash.`,
      changeId: change.id,
      ids: [keptId, ...otherIds],
    }
  })
}

/** A tag that the user removed from the kept item comes back only if the user gave it to another one. */
async function takeTags(db: Db, kept: Owned<MediaRow>, others: Owned<MediaRow>[]) {
  const own = await listOwnTags(db, kept.id)
  const removed = await db.selectFrom('removed_tags').select('tag').where('media_id', '=', kept.id).execute()
  const unwanted = new Set(removed.map(({ tag }) => tag))
  const known = new Map<string, TagRow>(own.map((row) => [row.tag, row]))
  for (const other of others) {
    for (const row of await listOwnTags(db, other.id)) {
      if (!known.has(row.tag) && (row.source === 'person' || !unwanted.has(row.tag))) known.set(row.tag, row)
    }
  }
  const all = [...known.values()].slice(0, Math.max(maxTags, own.length))
  const added = all.slice(own.length).map(({ tag }) => tag)
  if (added.length > 0) await replaceTags(db, kept, all)
  const forgotten = await forgetRemoved(db, [kept.id], added)
  return { tags: added, removedTags: forgotten.map(({ tag }) => tag) }
}

/** The kept item stands where the first of the others stood. */
async function takeCollections(db: Db, kept: Owned<MediaRow>, others: Owned<MediaRow>[]) {
  const otherIds = others.map(({ id }) => id)
  return {
    collections: await takePlaces(db, kept, otherIds),
    covers: await replaceCover(db, { from: otherIds, to: kept.id }),
  }
}

/**
 * Without an address of its own the kept item takes over the first one; all others redirect to it. An item that is private
 * keeps its earlier addresses to itself, because the user ended them.
 */
async function takeSlugs(db: Db, kept: Owned<MediaRow>, others: Owned<MediaRow>[]) {
  const published = others.filter(({ public_slug }) => public_slug !== null)
  const moved = new Map<number, string[]>()
  for (const { id, public_slug } of published) {
    const slugs = await moveSlugs(db, { from: id, to: kept.id })
    moved.set(id, [public_slug!, ...slugs.filter((slug) => slug !== public_slug)])
  }
  // Two items cannot have one address, not even for a moment.
  await updateManyMedia(
    db,
    published.map(({ id }) => id),
    { public_slug: null },
  )
  const taken = kept.public_slug === null ? published[0]?.public_slug : undefined
  return { moved, ofKept: taken ? { public_slug: taken } : {} }
}

function fieldsOf(kept: MediaRow, others: MediaRow[]): Updateable<Tables['media']> {
  const changes: Updateable<Tables['media']> = {}
  for (const field of takenFields) {
    const found = others.find((other) => other[field])?.[field]
    if (!kept[field] && found) changes[field] = found
  }
  const described = others.find(({ ai_description }) => ai_description)
  if (!kept.ai_description && described) {
    changes.ai_description = described.ai_description
    changes.ai_description_source = described.ai_description_source
  }
  const altTexts = [...others]
    .reverse()
    .concat(kept)
    .map(({ alt_texts }) => JSON.parse(alt_texts ?? '{}'))
  const all = Object.assign({}, ...altTexts)
  const isMissing = Object.keys(all).length > Object.keys(JSON.parse(kept.alt_texts ?? '{}')).length
  if (isMissing && kept.is_decorative === 0) changes.alt_texts = JSON.stringify(all)
  if (kept.is_favorite === 0 && others.some(({ is_favorite }) => is_favorite === 1)) changes.is_favorite = 1
  return changes
}

async function listVersions(db: Db, ownerId: number, ids: number[]) {
  const rows = await loadOwnedMediaList(db, ownerId, ids)
  if (rows.length === 0) return []
  const versions = db.selectFrom('media').select('id').where('owner_id', '=', ownerId).where('is_trashed', '=', 0)
  return (await versions.where('derived_from', 'in', rows.map(firstVersionOf)).execute()).map(({ id }) => id)
}

/** Otherwise the versions that were derived from a duplicate would be duplicates of the kept item next. */
async function takeVersions(db: Db, kept: Owned<MediaRow>, others: Owned<MediaRow>[]) {
  const first = firstVersionOf(kept)
  const taken = new Map<number, number[]>()
  for (const other of others) {
    if (firstVersionOf(other) === first) continue
    const versions = await db
      .updateTable('media')
      .set({ derived_from: first })
      .where('owner_id', '=', kept.owner_id)
      .where('is_trashed', '=', 0)
      .where('derived_from', '=', firstVersionOf(other))
      .where('id', '!=', other.id)
      .returning('id')
      .execute()
    taken.set(
      other.id,
      versions.map(({ id }) => id),
    )
  }
  return taken
}

const itemsGone = () =>
  new AppError('not-found', 404, 'Some of these items are no longer in your library. Please reload the list.')
