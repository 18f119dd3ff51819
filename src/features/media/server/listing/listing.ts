import type { Kysely } from 'kysely'
import { prepareListQuery } from '#platform/server/db/prepared.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { CountQuery, Media, MediaQuery, Pagination } from '../../contract.ts'
import { describeMedia, loadOwnedMedia } from '../store.ts'
import { type ListedRow, listedColumns, type MediaRow } from '../to-media.ts'
import { findCollections } from './collection-items.ts'
import { countListed, readPage, sortKeyOf } from './list-queries.ts'
import { monthCursors } from './months.ts'
import { type PageCursors, planRead } from './page-cursors.ts'
import { countMatches, findMatches, type Matches } from './search.ts'
import { type ReadSearch, readList } from './search-terms.ts'

type Listing = {
  media: Media[]
  near?: Media[]
  inCollections?: { id: number; name: string; mediaCount: number }[]
  notes?: string[]
  pagination: Pagination
}
type Connections = {
  db: Kysely<Tables>
  slowReads: Kysely<Tables>
  findNear: FindNear
  findSimilar: FindSimilar
  cursors: PageCursors
}

/** Pages that skip more rows than this are read in a worker thread. */
const maxInlineRows = 2000
/** Skipping fewer rows than this is cheaper than remembering a cursor. */
const minCursorRows = 200

export async function listMedia(
  connections: Connections,
  ownerId: number,
  query: MediaQuery,
  origin: string,
): Promise<Listing> {
  const { db, slowReads } = connections
  if (query.similarToId !== undefined || query.example !== undefined) {
    return listSimilar(connections, ownerId, query, origin)
  }
  const search = await readList(db, ownerId, query)
  if (search) return searchMedia(connections, ownerId, search, withUsualSort(query), origin)
  const offset = (query.page - 1) * query.limit
  const isKept = offset > minCursorRows && sortKeyOf(query) !== undefined
  const known = isKept ? connections.cursors.of(listName(ownerId, query)) : undefined
  const total = await countListed({ db, slowReads }, ownerId, query)
  if (offset >= total) return { media: [], pagination: paginationOf(query, total) }
  const limit = Math.min(query.limit, total - offset)
  const starts = offset > minCursorRows ? await monthCursors(db, ownerId, query) : []
  const plan = planRead([...(known?.cursors ?? []), ...starts], { offset, limit }, total)
  const rows = await readPage(plan.skip > maxInlineRows ? slowReads : db, ownerId, query, { plan, limit })
  const [first] = rows
  if (first && plan.skip > minCursorRows && rows.length === limit) known?.remember({ position: offset, ...first })
  const ids = rows.map(({ id }) => id)
  const media = await describeMedia(db, await loadInOrder(db, ownerId, ids), origin)
  return { media, pagination: paginationOf(query, total) }
}

/** A smart collection is in the order of the library; results are ranked only for what a user has typed. */
function withUsualSort(query: MediaQuery): MediaQuery {
  if (query.search?.trim()) return query
  return { ...query, sort: query.sort === 'manual' ? 'recent' : (query.sort ?? 'recent') }
}

/** The exact number of items in a list, also where its pages give a lower bound. */
export async function countMedia(
  { db, slowReads }: Pick<Connections, 'db' | 'slowReads'>,
  ownerId: number,
  query: CountQuery,
) {
  const search = await readList(db, ownerId, query)
  if (!search) return countListed({ db, slowReads }, ownerId, query)
  return countMatches(slowReads, ownerId, search.terms, query)
}

/** Matches of all words, and next to them similar results if there is room on the first page. */
async function searchMedia(
  { db, slowReads, findNear }: Connections,
  ownerId: number,
  { terms, text, isFiltered, notes }: ReadSearch,
  query: MediaQuery,
  origin: string,
) {
  const matches = await findMatches(slowReads, ownerId, terms, query)
  const hasNear = terms.words.length > 0 && !isFiltered && hasRoomForNear(matches, query)
  const nearIds = hasNear ? await findNear(ownerId, text) : []
  const otherIds = nearIds.filter((id) => !matches.ids.includes(id)).slice(0, query.limit - matches.total)
  const rows = await loadInOrder(db, ownerId, matches.ids)
  const near = filterNear(await loadInOrder(db, ownerId, otherIds), query)
  const described = await describeMedia(db, [...rows, ...near], origin)
  return {
    media: described.slice(0, rows.length),
    near: described.slice(rows.length),
    inCollections: isInWholeLibrary(query) && terms.words.length > 0 ? await findCollections(db, ownerId, text) : [],
    notes,
    pagination: paginationOf(query, matches.total, matches.isCapped),
  }
}

/** Only the first page of a search in the whole library tells of collections whose names match. */
const isInWholeLibrary = ({ page, collectionId, trashed }: MediaQuery) => page === 1 && !collectionId && !trashed

/** Items that look like an item or an example, on one page. */
async function listSimilar(
  { db, findSimilar }: Connections,
  ownerId: number,
  query: MediaQuery,
  origin: string,
): Promise<Listing> {
  const { similarToId, example = '' } = query
  const subject =
    similarToId === undefined ? Buffer.from(example, 'base64url') : await loadOwnedMedia(db, ownerId, similarToId)
  const rows = filterNear(await loadInOrder(db, ownerId, await findSimilar(ownerId, subject)), query)
  const shown = rows.slice(0, query.limit)
  const media = await describeMedia(db, shown, origin)
  return { media, pagination: paginationOf({ page: 1, limit: query.limit }, shown.length) }
}

const listName = (ownerId: number, { sort, direction, type, favorite, trashed }: MediaQuery) =>
  JSON.stringify([ownerId, sort, direction, type, favorite, trashed])

const listDescribed = prepareListQuery((db, ids: number[]) =>
  db.selectFrom('media').select(listedColumns).where('id', 'in', ids),
)

async function loadInOrder(db: Db, ownerId: number, ids: number[]): Promise<ListedRow[]> {
  if (ids.length === 0) return []
  // The library may have been replaced in the meantime, and an id may belong to another user.
  const rows = (await listDescribed(db, ids)).filter(({ owner_id }) => owner_id === ownerId)
  const byId = new Map(rows.map((row) => [row.id, row]))
  // An item may have been deleted since its id was read.
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined)
}

/** Ids of the owner's items whose meaning is similar to the search, the nearest first. */
export type FindNear = (ownerId: number, search: string) => Promise<number[]>

/** Ids of the owner's items that look like an item, or like an example of which only the sketch is known. */
export type FindSimilar = (ownerId: number, subject: MediaRow | Uint8Array) => Promise<number[]>

/** Similar results fill the first page. A search in a collection, in the trash or in another order shows only matches. */
const hasRoomForNear = ({ total }: Matches, query: MediaQuery) =>
  query.page === 1 &&
  total < query.limit &&
  (query.sort ?? 'recent') === 'recent' &&
  query.direction !== 'asc' &&
  !query.collectionId &&
  !query.trashed

/** The index may be out of date: an item may be deleted, in the trash, or of a type that is filtered out. */
function filterNear(near: ListedRow[], { type, favorite }: MediaQuery): ListedRow[] {
  return near.filter(
    (row) => row.is_trashed === 0 && (!type || row.type === type) && (!favorite || row.is_favorite === 1),
  )
}

/** The position of a page in its list; `isTotalCapped` if there are more matches than were counted. */
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
