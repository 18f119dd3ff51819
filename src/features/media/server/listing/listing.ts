import type { Kysely } from 'kysely'
import { prepareListQuery } from '#platform/server/db/prepared.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Media, MediaQuery, Pagination } from '../../contract.ts'
import { describeMedia } from '../store.ts'
import { type ListedRow, listedColumns } from '../to-media.ts'
import { countListed, loadCollectionCount, readPage, sortKeyOf } from './list-queries.ts'
import { type PageCursors, planRead } from './page-cursors.ts'
import { findMatches, type Matches } from './search.ts'
import { searchWords } from './search-documents.ts'

type Listing = { media: Media[]; near?: Media[]; pagination: Pagination }
type Connections = { db: Kysely<Tables>; slowReads: Kysely<Tables>; findNear: FindNear; cursors: PageCursors }

/** Pages further away than this many rows are read off the server's own thread. */
const nearRows = 2000
/** Passing over fewer costs less than remembering a place. */
const fewRows = 200

export async function listMedia(
  connections: Connections,
  ownerId: number,
  query: MediaQuery,
  origin: string,
): Promise<Listing> {
  const { db, slowReads } = connections
  const words = searchWords(query.search ?? '')
  if (words.length > 0) return searchMedia(connections, ownerId, words, query, origin)
  const offset = (query.page - 1) * query.limit
  const isKept = offset > fewRows && sortKeyOf(query) !== undefined
  const known = isKept ? connections.cursors.of(listName(ownerId, query)) : undefined
  const total = await countListed({ db, slowReads }, ownerId, query)
  if (offset >= total) return { media: [], pagination: paginationOf(query, total) }
  const limit = Math.min(query.limit, total - offset)
  const plan = planRead(known?.cursors ?? [], { offset, limit }, total)
  const rows = await readPage(plan.skip > nearRows ? slowReads : db, ownerId, query, { plan, limit })
  const [first] = rows
  if (first && plan.skip > fewRows && rows.length === limit) known?.remember({ position: offset, ...first })
  const ids = rows.map(({ id }) => id)
  const media = await describeMedia(db, await loadInOrder(db, ownerId, ids), origin)
  return { media, pagination: paginationOf(query, total) }
}

/** What matches in all its words, and beside it, where that leaves room on the first page, what means nearly the same. */
async function searchMedia(
  { db, slowReads, findNear }: Connections,
  ownerId: number,
  words: string[],
  query: MediaQuery,
  origin: string,
) {
  // Somebody else's collection is not there, whatever is looked for in it.
  if (query.collectionId) await loadCollectionCount(db, ownerId, query.collectionId)
  const matches = await findMatches(slowReads, ownerId, words, query)
  const nearIds = hasRoomForNear(matches, query) ? await findNear(ownerId, query.search!) : []
  const otherIds = nearIds.filter((id) => !matches.ids.includes(id)).slice(0, query.limit - matches.total)
  const rows = await loadInOrder(db, ownerId, matches.ids)
  const near = keepNear(await loadInOrder(db, ownerId, otherIds), query)
  const described = await describeMedia(db, [...rows, ...near], origin)
  return {
    media: described.slice(0, rows.length),
    near: described.slice(rows.length),
    pagination: paginationOf(query, matches.total, matches.isCapped),
  }
}

const listName = (ownerId: number, { sort, type, favorite, trashed }: MediaQuery) =>
  JSON.stringify([ownerId, sort, type, favorite, trashed])

const listDescribed = prepareListQuery((db, ids: number[]) =>
  db.selectFrom('media').select(listedColumns).where('id', 'in', ids),
)

async function loadInOrder(db: Db, ownerId: number, ids: number[]): Promise<ListedRow[]> {
  if (ids.length === 0) return []
  // The library may have been replaced since, and an id in it is somebody else's.
  const rows = (await listDescribed(db, ids)).filter(({ owner_id }) => owner_id === ownerId)
  const byId = new Map(rows.map((row) => [row.id, row]))
  // An item may have been deleted since its id was read.
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined)
}

/** Ids of the owner's items whose words mean nearly the same as the search, the nearest first. */
export type FindNear = (ownerId: number, search: string) => Promise<number[]>

/** Near ones stand on the first page where matches leave room; in a collection, the trash or another order only words count. */
const hasRoomForNear = ({ total }: Matches, query: MediaQuery) =>
  query.page === 1 &&
  total < query.limit &&
  (query.sort ?? 'recent') === 'recent' &&
  !query.collectionId &&
  !query.trashed

/** An id may be old: the item can be gone, in the trash, or of another type than is shown. */
function keepNear(near: ListedRow[], { type, favorite }: MediaQuery): ListedRow[] {
  return near.filter(
    (row) => row.is_trashed === 0 && (!type || row.type === type) && (!favorite || row.is_favorite === 1),
  )
}

/** Where a page stands in its list; `isTotalCapped` when there are more than were counted. */
export function paginationOf(
  { page, limit }: { page: number; limit: number },
  totalCount: number,
  isTotalCapped = false,
): Pagination {
  const totalPages = Math.max(1, Math.ceil(totalCount / limit))
  return {
    currentPage: page,
    totalPages,
    totalCount,
    isTotalCapped,
    hasPrevPage: page > 1,
    hasNextPage: page < totalPages,
  }
}
