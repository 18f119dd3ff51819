import type { Kysely } from 'kysely'
import {
  type CollectionRow,
  deleteMemberships,
  type Membership,
  requireByHand,
  restoreMemberships,
} from '#features/collections/server/store.ts'
import { restoreOriginals } from '#features/conversion/server/conversion-history.ts'
import { mediaIdOf, type PutBack, recordChangedItems, undoChange } from '#features/media/server/history.ts'
import { asOwned, type Owned } from '#features/media/server/owned.ts'
import { putNamesBack } from '#features/media/server/rename.ts'
import { lockMedia, updateManyMedia } from '#features/media/server/store.ts'
import { deleteTags, rememberRemoved } from '#features/media/server/tags.ts'
import { moveLocked } from '#features/media/server/trash.ts'
import { putTagsBack } from '#features/tags/server/edit-tags.ts'
import { refuseWhileEditing } from '#features/tags/server/tag-runs.ts'
import { AppError, notFound } from '#platform/errors.ts'
import type { Db, Row, Tables } from '#platform/server/db/tables.ts'
import { findRun, insertEndedRun, type Run } from '#platform/server/runs/runs-store.ts'
import { chunksOf } from '#shared/chunks.ts'
import { countOf } from '#shared/count.ts'
import { Change } from '../contract.ts'
import { putTableBack } from './table/write-values.ts'
import { undoMerge, versionsOfMerge } from './undo-merge.ts'

type Kind = Change['kind']
export const changeKinds: readonly string[] = Change.shape.kind.options

export const insertChange = (db: Db, { ownerId, kind, title }: { ownerId: number; kind: Kind; title: string }) =>
  insertEndedRun(db, { ownerId, kind, title })

function toChange({ id, kind, title, total, created_at, undone_at }: Run): Change {
  return {
    id,
    kind: kind as Kind,
    title: title ?? '',
    itemCount: total,
    createdAt: new Date(created_at).toISOString(),
    undoneAt: undone_at === null ? null : new Date(undone_at).toISOString(),
  }
}

export async function listChanges(db: Db, ownerId: number, limit: number): Promise<Change[]> {
  const runs = await db
    .selectFrom('runs')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('kind', 'in', changeKinds)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return runs.map(toChange)
}

/** The history forgets changes after a while, see `historyMs`. */
const tooOld = () => new AppError('not-found', 404, 'This change can no longer be undone.')

async function loadOwnedChange(db: Db, ownerId: number, id: number): Promise<Owned<Run>> {
  const run = await findRun(db, id)
  if (run?.owner_id !== ownerId || !changeKinds.includes(run.kind)) throw tooOld()
  return asOwned(run)
}

/** Each item was added by its own call; this records them as one history entry. Only members of the collection count. */
export async function recordMove(db: Kysely<Tables>, collection: Owned<CollectionRow>, mediaIds: number[]) {
  requireByHand(collection)
  return db.transaction().execute(async (transaction) => {
    // Each item is recorded once, and only if it still exists; see [Note: Items are locked first].
    const held = await lockMedia(transaction, [...new Set(mediaIds)])
    const title = `Added to "${collection.name}"`
    const change = await insertChange(transaction, { ownerId: collection.owner_id, kind: 'membership', title })
    for (const part of chunksOf(held, 500)) {
      const members = await transaction
        .selectFrom('collection_media')
        .select('media_id')
        .where('collection_id', '=', collection.id)
        .where('media_id', 'in', part)
        .execute()
      const items = members.map(({ media_id }) => ({ mediaId: media_id, before: null, after: String(collection.id) }))
      await recordChangedItems(transaction, change, items)
    }
    const recorded = await loadOwnedChange(transaction, collection.owner_id, change.id)
    if (recorded.total === 0) throw notFound('Media')
    return toChange(recorded)
  })
}

export async function undo(db: Kysely<Tables>, ownerId: number, id: number) {
  const change = await loadOwnedChange(db, ownerId, id)
  const kind = change.kind as Kind
  if (kind === 'tag-edit') await refuseWhileEditing(db, ownerId)
  const { undone, kept } = await undoChange(db, change, {
    putBack: () => undoers[kind],
    alsoLocked: kind === 'merge' ? versionsOfMerge : undefined,
    alreadyUndone: 'This change has already been undone.',
  })
  const describe = outcomesInWords[kind] ?? outcomeInWords
  return { undone, kept, message: describe(undone.length, kept) }
}

const undoers: Record<Kind, PutBack> = {
  rename: putNamesBack,
  async description(db, items) {
    const ids = items.map(mediaIdOf)
    const rows = await db.selectFrom('media').select(['id', 'user_description']).where('id', 'in', ids).execute()
    const now = new Map(rows.map(({ id, user_description }) => [id, user_description]))
    const unchanged = items.filter((item) => now.get(mediaIdOf(item)) === item.output)
    // Items with the same previous description are updated together, as most had none.
    for (const [before, some] of Map.groupBy(unchanged, ({ input }) => input)) {
      await updateManyMedia(db, some.map(mediaIdOf), { user_description: before })
    }
    return unchanged.map(mediaIdOf)
  },
  async tags(db, items) {
    const gone: Row<'removed_tags'>[] = []
    // Items that received the same tags are updated together.
    for (const [added, some] of Map.groupBy(items, ({ output }) => output ?? '[]')) {
      gone.push(...(await deleteTags(db, some.map(mediaIdOf), JSON.parse(added))))
    }
    // A tag that the user had removed earlier stays marked as removed, so that the AI does not add it again.
    const removedBefore = new Map(items.map((item) => [mediaIdOf(item), JSON.parse(item.input ?? '[]') as string[]]))
    await rememberRemoved(
      db,
      gone.filter(({ media_id, tag }) => removedBefore.get(media_id)!.includes(tag)),
    )
    const ids = [...new Set(gone.map(({ media_id }) => media_id))]
    await updateManyMedia(db, ids, {})
    return ids
  },
  async membership(db, items) {
    const done: number[] = []
    // A removed item has its previous position as input and no output.
    const [removed, added] = [
      items.filter(({ output }) => output === null),
      items.filter(({ output }) => output !== null),
    ]
    for (const [collectionId, some] of Map.groupBy(added, ({ output }) => Number(output))) {
      const deleted = await deleteMemberships(db, collectionId, some.map(mediaIdOf))
      done.push(...deleted.map(({ media_id }) => media_id))
    }
    const memberships = removed.map(({ input }): Membership => JSON.parse(input!))
    for (const [collectionId, some] of Map.groupBy(memberships, ({ collection_id }) => collection_id)) {
      done.push(...(await restoreMemberships(db, collectionId, some)))
    }
    return done
  },
  /** The copies may have been edited since, so they are not deleted. */
  async copy(db, items) {
    const copies = db.selectFrom('media').select('id').where('id', 'in', items.map(mediaIdOf))
    const ids = (await copies.where('is_trashed', '=', 0).execute()).map(({ id }) => id)
    if (ids.length > 0) await moveLocked(db, ids, true)
    return ids
  },
  replacement: restoreOriginals,
  table: putTableBack,
  merge: undoMerge,
  'tag-edit': putTagsBack,
}

const outcomesInWords: Partial<Record<Kind, typeof outcomeInWords>> = {
  copy(undone, kept) {
    const moved = `${countOf(undone, 'copy', 'copies')} moved to the Trash.`
    return kept > 0 ? `${moved} ${countOf(kept, 'copy was', 'copies were')} there already.` : moved
  },
  replacement(undone, kept) {
    const restored = undone > 0 ? `${countOf(undone, 'original')} restored.` : 'Nothing restored.'
    const skipped = `${countOf(kept, 'image')} skipped: changed since, or the original is no longer kept.`
    return kept > 0
      ? `${restored} ${skipped}`
      : `${restored} The converted ${undone === 1 ? 'file is kept as a version' : 'files are kept as versions'}.`
  },
}

function outcomeInWords(undone: number, kept: number) {
  const restored = `${countOf(undone, 'item')} restored.`
  return kept > 0 ? `${restored} ${countOf(kept, 'item was', 'items were')} changed since and skipped.` : restored
}
