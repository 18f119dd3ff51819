import { Worker } from 'node:worker_threads'
import { type Kysely, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Tables } from '#platform/server/db/tables.ts'
import { describeDismissals, listDifferent } from './dismissals-store.ts'
import type { Looks } from './group-looks.ts'

const mostRepeated = 1000
const freshMs = 10_000

/** Each group's newest item first, and the groups by it. */
export type FindGroups = (ownerId: number) => Promise<number[][]>

/** Items that may show the same picture, by library; searched for anew when items have come, gone or been trashed. */
export function createDuplicateGroups(slowReads: Kysely<Tables>): FindGroups {
  const kept = new LRUCache<string, Promise<number[][]>>({ max: 20, ttl: freshMs })
  let last: Promise<unknown> = Promise.resolve()
  return async (ownerId) => {
    const state = await describeLibrary(slowReads, ownerId)
    const known = kept.get(state)
    if (known) return known
    // One after another, however many libraries are looked through: what a search needs is needed once.
    const searching = last.then(() => searchGroups(slowReads, ownerId))
    last = searching.catch(() => {})
    kept.set(state, searching)
    searching.catch(() => kept.delete(state))
    return searching
  }
}

/** Cheap to read, and another after every upload, deletion, move to the trash and word about what is different. */
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
  return [ownerId, media_count, trashed_count, newest?.id, await describeDismissals(db, ownerId)].join()
}

async function searchGroups(db: Kysely<Tables>, ownerId: number) {
  const hashes = await listHashes(db, ownerId)
  return groupOnThread({
    hashes,
    sameBytes: await listSameBytes(db, ownerId),
    different: await listDifferent(db, ownerId),
  })
}

/** A thread for each search, which takes its memory along when it ends: nobody else waits while hashes are compared. */
async function groupOnThread(looks: Looks): Promise<number[][]> {
  const { promise, resolve, reject } = Promise.withResolvers<number[][]>()
  const thread = new Worker(new URL('./group-looks-thread.ts', import.meta.url), { workerData: looks })
  thread.once('message', resolve)
  thread.once('error', reject)
  thread.once('exit', () => reject(new Error('The thread that looks for duplicates has ended')))
  return promise
}

/** Read from an index, as one string for each first digit: rows by the hundred thousand would hold up the server's thread. */
async function listHashes(db: Kysely<Tables>, ownerId: number): Promise<string[]> {
  const pieces: string[] = []
  for (const [index, digit] of firstDigits.entries()) {
    const { looks } = await db
      .selectFrom('media')
      .select(sql<string | null>`string_agg(id || ':' || perceptual_hash, ' ')`.as('looks'))
      .where('owner_id', '=', ownerId)
      .where('is_trashed', '=', 0)
      .where('type', '=', 'image')
      .where('perceptual_hash', '>=', digit)
      .where('perceptual_hash', '<', firstDigits[index + 1] ?? 'g')
      .executeTakeFirstOrThrow()
    if (looks) pieces.push(looks)
  }
  return pieces
}

const firstDigits = [...'0123456789abcdef']

/** The same bytes have the same size, and sizes can be counted without reading the items. */
async function listSameBytes(db: Kysely<Tables>, ownerId: number): Promise<string[]> {
  const own = db.selectFrom('media').where('owner_id', '=', ownerId).where('is_trashed', '=', 0)
  const repeatedSizes = own
    .select('size')
    .groupBy('size')
    .having((having) => having.fn.countAll(), '>', 1)
  const rows = await own
    .select(sql<string>`string_agg(cast(id AS text), ' ')`.as('ids'))
    .where('size', 'in', repeatedSizes)
    .groupBy('blob')
    .having((having) => having.fn.countAll(), '>', 1)
    .limit(mostRepeated)
    .execute()
  return rows.map(({ ids }) => ids)
}
