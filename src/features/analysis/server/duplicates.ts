import type { Kysely } from 'kysely'
import { compareEmbeddings } from '#engines/ai/similarity.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { groupNearHashes } from './near-hashes.ts'
import { listEmbeddings } from './results-store.ts'

/** Two hashes may agree by chance; pictures that were looked at must also look the same. */
const leastLikeness = 0.85
const mostPerGroup = 50

type Services = { db: Kysely<Tables>; slowReads: Kysely<Tables> }

/** Items of a library that show the same picture: the same bytes, or nearly the same hash and the same look. */
export async function findDuplicates({ db, slowReads }: Services, ownerId: number, limit: number) {
  const items = await slowReads
    .selectFrom('media')
    .select(['id', 'perceptual_hash as hash', 'blob', 'type'])
    .where('owner_id', '=', ownerId)
    .where('is_trashed', '=', 0)
    .orderBy('id', 'desc')
    .execute()
  const hashed = items.flatMap(({ id, hash, type }) => (hash && type === 'image' ? [{ id, hash }] : []))
  const groups = mergeGroups([...sameBytes(items), ...(await groupNearHashes(hashed))])
  const found: MediaRow[][] = []
  let dropped = 0
  for (const ids of groups) {
    if (found.length === limit) break
    const alike = await keepAlike(db, ids.slice(0, mostPerGroup))
    if (alike.length > 1) found.push(alike)
    else dropped++
  }
  return { groups: found, total: groups.length - dropped }
}

function sameBytes(items: { id: number; blob: string }[]): number[][] {
  const byBlob = Map.groupBy(items, ({ blob }) => blob)
  return [...byBlob.values()].filter((same) => same.length > 1).map((same) => same.map(({ id }) => id))
}

/** Groups that share an item become one; the newest item of each comes first, and so does its group. */
function mergeGroups(groups: number[][]): number[][] {
  const groupOf = new Map<number, Set<number>>()
  for (const ids of groups) {
    const merged = new Set(ids.flatMap((id) => [...(groupOf.get(id) ?? [id])]))
    for (const id of merged) groupOf.set(id, merged)
  }
  return [...new Set(groupOf.values())].map((group) => [...group].sort((a, b) => b - a)).sort((a, b) => b[0]! - a[0]!)
}

async function keepAlike(db: Kysely<Tables>, ids: number[]): Promise<MediaRow[]> {
  const rows = await db.selectFrom('media').selectAll().where('id', 'in', ids).orderBy('id', 'desc').execute()
  const embeddings = await listEmbeddings(db, [...new Set(rows.map(({ blob }) => blob))])
  return rows.filter((row) => rows.some((other) => other !== row && isAlike(row, other)))

  function isAlike(one: MediaRow, other: MediaRow) {
    const [a, b] = [embeddings.get(one.blob), embeddings.get(other.blob)]
    return one.blob === other.blob || !a || !b || compareEmbeddings(a, b) >= leastLikeness
  }
}
