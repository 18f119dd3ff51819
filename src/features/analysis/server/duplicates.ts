import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import { compareEmbeddings } from '#engines/ai/similarity.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { groupNearHashes, type Hashed } from './near-hashes.ts'
import { listEmbeddings } from './results-store.ts'

/** Two hashes may agree by chance; pictures that were looked at must also look the same. */
const leastLikeness = 0.85
const mostPerGroup = 50
const mostCompared = 500
const mostRepeated = 1000
const rowsPerRead = 5000

const freshMs = 10_000

export type DuplicateGroups = (ownerId: number) => Promise<number[][]>

/** Items that may show the same picture, by library; searched for anew when items have come, gone or been trashed. */
export function createDuplicateGroups(slowReads: Kysely<Tables>): DuplicateGroups {
  const kept = new LRUCache<string, Promise<number[][]>>({ max: 20, ttl: freshMs })
  return async (ownerId) => {
    const state = await describeLibrary(slowReads, ownerId)
    const known = kept.get(state)
    if (known) return known
    const searching = searchGroups(slowReads, ownerId)
    kept.set(state, searching)
    searching.catch(() => kept.delete(state))
    return searching
  }
}

/** Cheap to read, and another after every upload, deletion and move to the trash. */
async function describeLibrary(db: Kysely<Tables>, ownerId: number) {
  const { media_count, trashed_count } = await db
    .selectFrom('users')
    .select(['media_count', 'trashed_count'])
    .where('id', '=', ownerId)
    .executeTakeFirstOrThrow()
  const newest = await db
    .selectFrom('media')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('is_trashed', '=', 0)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return [ownerId, media_count, trashed_count, newest?.id].join()
}

async function searchGroups(db: Kysely<Tables>, ownerId: number) {
  const sameBytes = await listSameBytes(db, ownerId)
  return mergeGroups([...sameBytes, ...(await groupNearHashes(await listHashes(db, ownerId)))])
}

type Services = { db: Kysely<Tables>; ai: { duplicateGroupsOf: DuplicateGroups } }

type Page = { limit: number; before?: number }

/**
 * Items of a library that show the same picture: the same bytes, or nearly the same hash and the same look. A page ends
 * with the newest item of its last group: whatever is trashed meanwhile, the next page goes on from there.
 */
export async function findDuplicates({ db, ai }: Services, ownerId: number, { limit, before }: Page) {
  const groups = await ai.duplicateGroupsOf(ownerId)
  const found: MediaRow[][] = []
  let dropped = 0
  let next: number | null = null
  for (const ids of groups) {
    if (before !== undefined && ids[0]! >= before) continue
    if (found.length === limit) return { groups: found, total: groups.length - dropped, next }
    const alike = await keepAlike(db, ownerId, ids)
    next = ids[0]!
    if (alike.length > 1) found.push(alike)
    else dropped++
  }
  return { groups: found, total: groups.length - dropped, next: null }
}

async function listSameBytes(db: Kysely<Tables>, ownerId: number): Promise<number[][]> {
  const own = db.selectFrom('media').where('owner_id', '=', ownerId).where('is_trashed', '=', 0)
  const repeated = own
    .select('blob')
    .groupBy('blob')
    .having((having) => having.fn.countAll(), '>', 1)
    .limit(mostRepeated)
  const rows = await own.select(['id', 'blob']).where('blob', 'in', repeated).orderBy('id').execute()
  return [...Map.groupBy(rows, ({ blob }) => blob).values()].map((same) => same.map(({ id }) => id))
}

/** Read in pieces: a hundred thousand rows at once would hold up the server's thread while they arrive. */
async function listHashes(db: Kysely<Tables>, ownerId: number): Promise<Hashed[]> {
  const hashes: Hashed[] = []
  let last = { created_at: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER }
  for (;;) {
    const rows = await db
      .selectFrom('media')
      .select(['id', 'created_at', 'perceptual_hash as hash'])
      .where('owner_id', '=', ownerId)
      .where('is_trashed', '=', 0)
      .where('type', '=', 'image')
      .where('created_at', '<=', last.created_at)
      .where((where) => where.or([where('created_at', '<', last.created_at), where('id', '<', last.id)]))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(rowsPerRead)
      .execute()
    for (const { id, hash } of rows) if (hash) hashes.push({ id, hash })
    if (rows.length < rowsPerRead) return hashes
    last = rows.at(-1)!
  }
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

/** Those of a group that are still in the library and look the same; the newest when there are very many. */
async function keepAlike(db: Kysely<Tables>, ownerId: number, ids: number[]): Promise<MediaRow[]> {
  const rows = await db
    .selectFrom('media')
    .selectAll()
    .where('id', 'in', ids.slice(0, mostCompared))
    .where('owner_id', '=', ownerId)
    .where('is_trashed', '=', 0)
    .orderBy('id', 'desc')
    .limit(mostPerGroup)
    .execute()
  const embeddings = await listEmbeddings(db, [...new Set(rows.map(({ blob }) => blob))])
  return rows.filter((row) => rows.some((other) => other !== row && isAlike(row, other)))

  function isAlike(one: MediaRow, other: MediaRow) {
    const [a, b] = [embeddings.get(one.blob), embeddings.get(other.blob)]
    return one.blob === other.blob || !a || !b || compareEmbeddings(a, b) >= leastLikeness
  }
}
