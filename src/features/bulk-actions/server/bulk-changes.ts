import type { Kysely } from 'kysely'
import type { z } from 'zod'
import { type CollectionRow, deleteMemberships, requireByHand } from '#features/collections/server/store.ts'
import type { ReviewedNames } from '#features/media/contract.ts'
import { maxTags, tooManyTags } from '#features/media/limits.ts'
import { type ChangedItem, lockIfNotUndone, recordChangedItems } from '#features/media/server/history.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import { copyMedia, publishMedia } from '#features/media/server/media.ts'
import type { ItemError, Outcome } from '#features/media/server/not-found.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { applyNames, renamedMeanwhile } from '#features/media/server/rename.ts'
import { deleteMediaRows, listTagsByMedia, updateManyMedia, updateNames } from '#features/media/server/store.ts'
import { type Addition, insertTags, keepTags } from '#features/media/server/tags.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { editTags } from '#features/tags/server/edit-tags.ts'
import { notFound } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Run } from '#platform/server/runs/runs-store.ts'
import { keepExtension, safeTypedName, uniqueNames } from '#shared/filenames.ts'
import { bulkName, type Naming } from '../bulk-names.ts'
import type { Change } from '../contract.ts'
import { type Batches, changeInBatches, changeOneByOne } from './each-item.ts'
import { insertChange } from './history.ts'
import { previewWebNames, type WebNaming } from './web-names.ts'

type Database = Kysely<Tables>
type Recorded = Outcome & { changeId?: number }

/**
 * Records what each batch changed in the same transaction as the change, so that undo is exact. The title contains no number,
 * as the changed items are counted with the change.
 */
export async function changeAndRecord(
  db: Database,
  batches: Batches,
  { kind, title }: Pick<Change, 'kind' | 'title'>,
  changeBatch: (transaction: Db, media: Owned<MediaRow>[]) => Promise<ChangedItem[]>,
): Promise<Recorded> {
  let change: Run | undefined
  const outcome = await changeInBatches(db, batches, async (transaction, media) => {
    const items = await changeBatch(transaction, media)
    if (items.length === 0) return
    // If the change was undone in the meantime, the remaining batches are recorded as a new change.
    const isOpen = change !== undefined && (await lockIfNotUndone(transaction, change))
    if (!isOpen) change = await insertChange(transaction, { ownerId: batches.ownerId, kind, title })
    await recordChangedItems(transaction, change!, items)
    await indexMedia(
      transaction,
      items.map(({ mediaId }) => mediaId),
    )
  })
  return { ...outcome, changeId: change?.id }
}

type Renaming = Naming & Partial<WebNaming> & { names?: z.output<typeof ReviewedNames>; renameAddresses?: boolean }

/** By a base name and prefix, by a pattern, or as reviewed. */
export async function renameMany(db: Database, batches: Batches, naming: Renaming) {
  const { names, pattern, renameAddresses = false } = naming
  const selected = new Set(batches.mediaIds)
  if (names?.some(({ id }) => !selected.has(id))) throw notFound('Media')
  if (names) return giveNames(db, batches, { names: makeUnique(names), renameAddresses })
  if (pattern === undefined) return renameByNumber(db, batches, naming)
  const web = await previewWebNames(db, batches.ownerId, { ...naming, pattern, mediaIds: batches.mediaIds })
  return giveNames(db, batches, { names: web.names, renameAddresses })
}

type Named = { id: number; to: string; from?: string }

/** A number that makes a reviewed name unique is never cut off. */
function makeUnique(names: Named[]): Named[] {
  const freeName = uniqueNames((name, count) => safeTypedName(name, ` ${count}`))
  return names.map((name) => ({ ...name, to: freeName(safeTypedName(name.to)) }))
}

/** An item that was renamed since its name was reviewed fails alone and keeps its name. */
async function giveNames(db: Database, batches: Batches, given: { names: Named[]; renameAddresses: boolean }) {
  const wanted = new Map(given.names.map((name) => [name.id, name]))
  const errors: ItemError[] = []
  const outcome = await changeAndRecord(
    db,
    batches,
    { kind: 'rename', title: 'Renamed' },
    async (transaction, media) => {
      const names = media.flatMap(({ id, filename }) => {
        const { to, from = filename } = wanted.get(id) ?? { to: filename }
        const kept = keepExtension(to, filename)
        return kept === filename ? [] : { id, from, to: kept }
      })
      const { renamed, others } = await applyNames(transaction, media, { ...given, names })
      errors.push(...others.map((id) => ({ id, message: renamedMeanwhile })))
      return renamed
    },
  )
  const failed = new Set(errors.map(({ id }) => id))
  const changed = outcome.changed.filter((id) => !failed.has(id))
  return { ...outcome, changed, errors: [...outcome.errors, ...errors] }
}

function renameByNumber(db: Database, batches: Batches, naming: Naming) {
  const count = new Set(batches.mediaIds).size
  let index = 0
  return changeAndRecord(db, batches, { kind: 'rename', title: 'Renamed' }, async (transaction, media) => {
    const renamed = media
      .map(({ id, filename: before }) => ({
        id,
        before,
        filename: bulkName(before, { index: index++, count }, naming),
      }))
      .filter(({ before, filename }) => filename !== before)
    await updateNames(transaction, renamed)
    return renamed.map(({ id, before, filename }) => ({ mediaId: id, before, after: filename }))
  })
}

/**
 * Items that already have the description are skipped. A retried request would otherwise record a change whose undo does
 * nothing.
 */
export function describeMany(db: Database, batches: Batches, description: string) {
  return changeAndRecord(db, batches, { kind: 'description', title: 'Described' }, async (transaction, media) => {
    const others = media.filter(({ user_description }) => user_description !== description)
    const ids = others.map(({ id }) => id)
    await updateManyMedia(transaction, ids, { user_description: description })
    return others.map(({ id, user_description }) => ({ mediaId: id, before: user_description, after: description }))
  })
}

/** An item without room for all the tags fails and gets none of them. `newTags` counts each tag once. */
export async function addTagsToMany(db: Database, batches: Batches, tags: string[]) {
  const wanted = [...new Set(tags)]
  const full: ItemError[] = []
  const newTags = new Set<string>()
  let addedTags = 0
  const title = `Added ${wanted.map((tag) => `"${tag}"`).join(', ')}`
  const outcome = await changeAndRecord(
    db,
    batches,
    { kind: 'tags', title: title.slice(0, 300) },
    async (transaction, media) => {
      const present = await listTagsByMedia(
        transaction,
        media.map(({ id }) => id),
      )
      const additions: Addition[] = []
      const withRoom: number[] = []
      for (const { id, owner_id } of media) {
        const own = present.get(id) ?? []
        const added = wanted.filter((tag) => !own.some((row) => row.tag === tag))
        if (added.length > 0 && own.length + added.length > maxTags) {
          full.push({ id, message: tooManyTags })
          continue
        }
        withRoom.push(id)
        if (added.length === 0) continue
        additions.push({ id, owner_id, after: own.at(-1)?.position ?? -1, tags: added })
        addedTags += added.length
        for (const tag of added) newTags.add(tag)
      }
      await keepTags(transaction, withRoom, wanted)
      const removed = Map.groupBy(await insertTags(transaction, additions), ({ media_id }) => media_id)
      // The meaning search finds changed items by `updated_at`, which this sets.
      await updateManyMedia(
        transaction,
        additions.map(({ id }) => id),
        {},
      )
      return additions.map(({ id, tags: added }): ChangedItem => {
        const removedBefore = (removed.get(id) ?? []).map(({ tag }) => tag)
        return { mediaId: id, before: JSON.stringify(removedBefore), after: JSON.stringify(added) }
      })
    },
  )
  const fullIds = new Set(full.map(({ id }) => id))
  const changed = outcome.changed.filter((id) => !fullIds.has(id))
  return { ...outcome, changed, errors: [...outcome.errors, ...full], addedTags, newTags: newTags.size }
}

/** `removedTags` counts each tag of each item. */
export async function removeTagsFromMany(db: Database, batches: Batches, tags: string[]) {
  const from = [...new Set(tags)]
  let removedTags = 0
  const title = `Removed ${from.map((tag) => `"${tag}"`).join(', ')}`
  const wanted = { kind: 'tag-edit', title: title.slice(0, 300) } as const
  const outcome = await changeAndRecord(db, batches, wanted, async (transaction, media) => {
    const edited = await editTags(transaction, media, { from, into: null })
    removedTags += edited.tagCount
    return edited.items
  })
  return { ...outcome, removedTags }
}

/** Items that are not in the collection are skipped; `removed` counts the others. */
export async function removeManyFromCollection(db: Database, batches: Batches, collection: Owned<CollectionRow>) {
  requireByHand(collection)
  const { id, name } = collection
  let removed = 0
  const wanted = { kind: 'membership', title: `Removed from "${name}"` } as const
  const outcome = await changeAndRecord(db, batches, wanted, async (transaction, media) => {
    const ids = media.map((item) => item.id)
    const places = await deleteMemberships(transaction, id, ids)
    removed += places.length
    return places.map((place) => ({ mediaId: place.media_id, before: JSON.stringify(place), after: null }))
  })
  return { ...outcome, removed }
}

/** With `onlyTrashed`, items restored from the trash in the meantime are kept, as when the trash is emptied. */
export async function deleteMany(db: Database, batches: Batches, { onlyTrashed }: { onlyTrashed: boolean }) {
  const restored = new Set<number>()
  const outcome = await changeInBatches(db, batches, async (transaction, media) => {
    const staying = media.filter(({ is_trashed }) => onlyTrashed && is_trashed === 0)
    for (const { id } of staying) restored.add(id)
    const ids = media.map(({ id }) => id).filter((id) => !restored.has(id))
    if (ids.length > 0) await deleteMediaRows(transaction, ids)
  })
  const errors = [...restored].map((id): ItemError => ({ id, message: 'It is no longer in the trash.' }))
  return { changed: outcome.changed.filter((id) => !restored.has(id)), errors: [...outcome.errors, ...errors] }
}

export async function copyMany(db: Database, batches: Batches) {
  const copyIds: number[] = []
  let change: Run | undefined
  const outcome = await changeOneByOne(db, batches, async (transaction, media) => {
    const copy = await copyMedia(transaction, media)
    const isOpen = change !== undefined && (await lockIfNotUndone(transaction, change))
    if (!isOpen)
      change = await insertChange(transaction, { ownerId: batches.ownerId, kind: 'copy', title: 'Duplicated' })
    await recordChangedItems(transaction, change!, [{ mediaId: copy.id, before: null, after: copy.blob }])
    copyIds.push(copy.id)
  })
  return { ...outcome, copyIds, changeId: change?.id }
}

export async function publishMany(db: Database, batches: Batches) {
  const published: MediaRow[] = []
  const outcome = await changeOneByOne(db, batches, async (transaction, media) => {
    published.push((await publishMedia(transaction, media)).row)
  })
  return { ...outcome, published }
}
