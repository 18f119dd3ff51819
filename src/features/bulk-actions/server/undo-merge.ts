import type { Updateable } from 'kysely'
import { deleteMemberships, replaceCover } from '#features/collections/server/store.ts'
import { mediaIdOf, type PutBack } from '#features/media/server/history.ts'
import { firstVersionOf } from '#features/media/server/media.ts'
import { takeSlugsBack } from '#features/media/server/slugs.ts'
import { updateManyMedia, updateMedia } from '#features/media/server/store.ts'
import { deleteTags, rememberRemoved } from '#features/media/server/tags.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { moveLocked } from '#features/media/server/trash.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { RunItem } from '#platform/server/runs/runs-store.ts'

/** What the kept item was before the merge, and what it took over. */
export type MergedInto = {
  before: Partial<MediaRow>
  after: Updateable<Tables['media']>
  tags: string[]
  removedTags: string[]
  collections: number[]
  covers: { collectionId: number; mediaId: number }[]
}

/** What a merged item gave away. */
export type MergedAway = { keptId: number; slugs: string[]; versions: number[] }

export const versionsOfMerge = (items: RunItem[]) =>
  items.flatMap(({ output }) => (output === null ? [] : (JSON.parse(output) as MergedAway).versions))

/** Items of one merge fit into one batch, so the kept item and the others are undone together. */
export const undoMerge: PutBack = async (db, items) => {
  const first = items.find(({ input }) => input !== null)
  const others = items.filter(({ output }) => output !== null)
  const ids = others.map(mediaIdOf)
  const into = first?.input ? (JSON.parse(first.input) as MergedInto) : undefined
  const aways = others.map((item) => ({ id: mediaIdOf(item), ...(JSON.parse(item.output!) as MergedAway) }))
  const named = [
    ...aways.flatMap(({ keptId, versions }) => [keptId, ...versions]),
    ...(into?.covers ?? []).map(({ mediaId }) => mediaId),
  ]
  const own = await listOwn(db, mediaIdOf(items[0]!), named)
  const restored = ids.length === 0 ? [] : await listTrashed(db, ids)
  if (restored.length > 0) await moveLocked(db, restored, false)
  if (first && into) {
    const covers = into.covers.filter(({ mediaId }) => own.has(mediaId))
    await restoreKept(db, mediaIdOf(first), { ...into, covers })
  }
  const readdressed: number[] = []
  for (const { id, keptId, slugs, versions } of aways.filter((away) => own.has(away.keptId))) {
    const back = await takeSlugsBack(db, { from: keptId, to: id, slugs })
    // The first is the one that the item had.
    if (back.includes(slugs[0]!)) {
      await updateMedia(db, id, { public_slug: slugs[0]! })
      readdressed.push(id)
    }
    await returnVersions(
      db,
      id,
      versions.filter((version) => own.has(version)),
    )
  }
  return [...new Set([...(first ? [mediaIdOf(first)] : []), ...restored, ...readdressed])]
}

/** After a restored backup, an id may belong to another user. */
async function listOwn(db: Db, mediaId: number, ids: number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const owner = db.selectFrom('media').select('owner_id').where('id', '=', mediaId)
  const rows = await db.selectFrom('media').select('id').where('id', 'in', ids).where('owner_id', '=', owner).execute()
  return new Set(rows.map(({ id }) => id))
}

async function listTrashed(db: Db, ids: number[]) {
  const trashed = db.selectFrom('media').select('id').where('id', 'in', ids).where('is_trashed', '=', 1)
  return (await trashed.execute()).map(({ id }) => id)
}

/** A value that was changed since is kept. */
async function restoreKept(db: Db, id: number, { before, after, ...taken }: MergedInto) {
  const now = await db.selectFrom('media').selectAll().where('id', '=', id).executeTakeFirst()
  if (!now) return
  const unchanged = Object.entries(before).filter(
    ([field]) => now[field as keyof MediaRow] === after[field as keyof typeof after],
  )
  await updateMedia(db, id, Object.fromEntries(unchanged))
  if (taken.tags.length > 0) await deleteTags(db, [id], taken.tags)
  await rememberRemoved(
    db,
    taken.removedTags.map((tag) => ({ media_id: id, tag })),
  )
  for (const collectionId of taken.collections.toSorted((a, b) => a - b))
    await deleteMemberships(db, collectionId, [id])
  for (const { collectionId, mediaId } of taken.covers)
    await replaceCover(db, { from: [id], to: mediaId, collectionId })
}

async function returnVersions(db: Db, id: number, versions: number[]) {
  if (versions.length === 0) return
  const row = await db.selectFrom('media').select(['id', 'derived_from']).where('id', '=', id).executeTakeFirst()
  if (row) await updateManyMedia(db, versions, { derived_from: firstVersionOf(row) })
}
