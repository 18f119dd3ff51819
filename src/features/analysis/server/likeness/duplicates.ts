import type { Kysely } from 'kysely'
import { compareEmbeddings } from '#engines/ai/similarity.ts'
import { loadOwnedMediaList } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { maxPerGroup } from '../../contract.ts'
import { listEmbeddings } from '../results-store.ts'
import { loadDifferent } from './dismissals-store.ts'
import type { FindGroups } from './duplicate-search.ts'
import { groupLinked } from './group-linked.ts'

/** Hashes may agree by chance, so pictures that were analyzed must also have similar embeddings. */
const minSimilarity = 0.85
const maxCompared = 500
const candidatesAtOnce = 25

type Services = { db: Kysely<Tables>; ai: { duplicateGroupsOf: FindGroups } }

type Page = { limit: number; before?: number }

/**
 * Finds items that show the same picture: identical bytes, or near hashes and similar embeddings, unless marked as different.
 * The cursor is the newest item of the page's last candidates, so trashing items does not shift pages. A candidate group that
 * shows several pictures is split.
 */
export async function findDuplicates({ db, ai }: Services, ownerId: number, { limit, before }: Page) {
  const candidates = await ai.duplicateGroupsOf(ownerId)
  const found: number[][] = []
  let total = candidates.length
  let next: number | null = null
  let at = before === undefined ? 0 : candidates.filter(([newest]) => newest! >= before).length
  while (at < candidates.length && found.length < limit) {
    const some = candidates.slice(at, at + Math.min(candidatesAtOnce, limit - found.length))
    const seen = await compareItems(
      { db, ownerId },
      some.flatMap((ids) => ids.slice(0, maxPerGroup)),
    )
    for (const ids of some) {
      const alike = await listSimilarGroups({ db, ownerId }, ids, seen)
      found.push(...alike)
      total += alike.length - 1
    }
    at += some.length
    next = some.at(-1)![0]!
  }
  return { groups: await loadGroups({ db, ownerId }, found), total, next: at < candidates.length ? next : null }
}

type Library = { db: Kysely<Tables>; ownerId: number }

/** Compares the newest items of a very large group. If they are all different, compares the next ones. */
async function listSimilarGroups(library: Library, ids: number[], seen: Comparison): Promise<number[][]> {
  for (let start = 0; start < Math.min(ids.length, maxCompared); start += maxPerGroup) {
    const shown = ids.slice(start, start + maxPerGroup)
    const { areAlike } = start === 0 ? seen : await compareItems(library, shown)
    const alike = groupLinked(shown, areAlike)
    if (alike.length > 0) return alike
  }
  return []
}

type Comparison = { areAlike: (oneId: number, otherId: number) => boolean }

/** Items that were deleted in the meantime match nothing. */
async function compareItems({ db, ownerId }: Library, ids: number[]): Promise<Comparison> {
  const rows = await db
    .selectFrom('media')
    .select(['id', 'blob'])
    .where('id', 'in', ids)
    .where('owner_id', '=', ownerId)
    .where('is_trashed', '=', 0)
    .execute()
  const blobs = new Map(rows.map(({ id, blob }) => [id, blob]))
  const embeddings = await listEmbeddings(db, [...new Set(blobs.values())])
  const areDifferent = await loadDifferent(db, ids)
  return {
    areAlike(oneId, otherId) {
      const [one, other] = [blobs.get(oneId), blobs.get(otherId)]
      if (one === undefined || other === undefined || areDifferent(oneId, otherId)) return false
      const [a, b] = [embeddings.get(one), embeddings.get(other)]
      return one === other || !a || !b || compareEmbeddings(a, b) >= minSimilarity
    },
  }
}

async function loadGroups({ db, ownerId }: Library, groups: number[][]): Promise<MediaRow[][]> {
  const rows = new Map((await loadOwnedMediaList(db, ownerId, groups.flat())).map((row) => [row.id, row]))
  return groups.map((ids) => ids.sort((a, b) => b - a).flatMap((id) => rows.get(id) ?? []))
}
