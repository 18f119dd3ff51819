import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { prepareListQuery } from '#platform/server/db/prepared.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Media, MediaQuery, Pagination, Sort } from '../contract.ts'
import { countListed, loadCollectionCount } from './listing-counts.ts'
import { type FindNear, hasRoomForNear, keepNear } from './near.ts'
import { type PagePlaces, shortestWay, type Way } from './page-places.ts'
import { findMatches } from './search.ts'
import { searchWords } from './search-documents.ts'
import { describeMedia } from './store.ts'
import { type DescribedRow, describedColumns } from './to-media.ts'

export type Listing = { media: Media[]; near?: Media[]; pagination: Pagination }
type Connections = { db: Kysely<Tables>; slowReads: Kysely<Tables>; findNear?: FindNear; places: PagePlaces }

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
  const known = isKept ? connections.places.of(listName(ownerId, query)) : undefined
  const total = await countListed({ db, slowReads }, ownerId, query)
  if (offset >= total) return listing([], query, total)
  const limit = Math.min(query.limit, total - offset)
  const way = shortestWay(known?.places ?? [], { offset, limit }, total)
  const rows = await readPage(way.skip > nearRows ? slowReads : db, ownerId, query, { way, limit })
  const [first] = rows
  if (first && way.skip > fewRows && rows.length === limit) known?.remember({ position: offset, ...first })
  const ids = rows.map(({ id }) => id)
  return listing(await describeMedia(db, await loadInOrder(db, ids), origin), query, total)
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
  const nearIds = findNear && hasRoomForNear(matches, query) ? await findNear(ownerId, query.search!) : []
  const otherIds = nearIds.filter((id) => !matches.ids.includes(id)).slice(0, query.limit - matches.total)
  const rows = await loadInOrder(db, matches.ids)
  const near = keepNear(await loadInOrder(db, otherIds), ownerId, query)
  const described = await describeMedia(db, [...rows, ...near], origin)
  const page = listing(described.slice(0, rows.length), query, matches.total, matches.isCapped)
  return { ...page, near: described.slice(rows.length) }
}

/** Ids come from an index alone, so passing over many of them is cheap; a page in the second half is read from the end. */
async function readPage(db: Db, ownerId: number, query: MediaQuery, { way, limit }: { way: Way; limit: number }) {
  const key = sortKeyOf(query)
  const value = key ? sql.ref<string | number>(`media.${key.column}`) : sql<number>`0`
  let page = ordered(filtered(db, ownerId, query), query, way.isBackwards)
  if (key && way.from) {
    const isUpwards = way.isBackwards === (key.direction === 'desc')
    // The place itself is the first row of a page that is read onwards, and already past for one that is read back.
    const compare = sql.raw(`${isUpwards ? '>' : '<'}${way.isBackwards ? '' : '='}`)
    page = page.where(sql<boolean>`(${value}, media.id) ${compare} (${way.from.value}, ${way.from.id})`)
  }
  const rows = await page.select(value.as('value')).limit(limit).offset(way.skip).execute()
  return way.isBackwards ? rows.reverse() : rows
}

/** What a place of the list is known by; none where the order is not that of one column and the id, both one way. */
function sortKeyOf({ sort = 'recent', collectionId }: MediaQuery) {
  if (collectionId || sort === 'type') return undefined
  const [column, direction] = orders[sort === 'manual' ? 'recent' : sort][0]!
  return { column, direction }
}

const listName = (ownerId: number, { sort, type, favorite, trashed }: MediaQuery) =>
  JSON.stringify([ownerId, sort, type, favorite, trashed])

type IdQuery = SelectQueryBuilder<Tables & { member: Tables['collection_media'] }, 'media' | 'member', { id: number }>

function filtered(db: Db, ownerId: number, { collectionId, type, favorite, trashed }: MediaQuery): IdQuery {
  const from = collectionId
    ? db
        .selectFrom('collection_media as member')
        .innerJoin('media', 'media.id', 'member.media_id')
        .where('member.collection_id', '=', collectionId)
    : db.selectFrom('media')
  // Both shapes offer the columns that are used below; only the first offers those of `member`.
  let ids = (from as unknown as IdQuery).select('media.id as id').where('media.owner_id', '=', ownerId)
  ids = ids.where('media.is_trashed', '=', trashed ? 1 : 0)
  if (type) ids = ids.where('media.type', '=', type)
  if (favorite) ids = ids.where('media.is_favorite', '=', 1)
  return ids as IdQuery
}

const orders: Record<
  Exclude<Sort, 'manual'>,
  [column: 'created_at' | 'name_key' | 'size' | 'mime_type', direction: 'asc' | 'desc'][]
> = {
  recent: [['created_at', 'desc']],
  name: [['name_key', 'asc']],
  size: [['size', 'desc']],
  type: [
    ['mime_type', 'asc'],
    ['created_at', 'desc'],
  ],
}

function ordered(ids: IdQuery, { sort: wanted = 'recent', collectionId }: MediaQuery, isFromEnd: boolean) {
  const turn = (direction: 'asc' | 'desc') => (isFromEnd === (direction === 'asc') ? 'desc' : 'asc')
  if (collectionId && wanted === 'manual') {
    return ids.orderBy('member.position', turn('asc')).orderBy('member.media_id', turn('asc'))
  }
  const sort = wanted === 'manual' ? 'recent' : wanted
  if (collectionId && sort === 'recent') {
    return ids.orderBy('member.media_created_at', turn('desc')).orderBy('member.media_id', turn('desc'))
  }
  let result = ids
  for (const [column, direction] of orders[sort]) result = result.orderBy(`media.${column}`, turn(direction))
  return result.orderBy('media.id', turn(sort === 'name' ? 'asc' : 'desc'))
}

const listDescribed = prepareListQuery((db, ids: number[]) =>
  db.selectFrom('media').select(describedColumns).where('id', 'in', ids),
)

async function loadInOrder(db: Db, ids: number[]): Promise<DescribedRow[]> {
  if (ids.length === 0) return []
  const rows = await listDescribed(db, ids)
  const byId = new Map(rows.map((row) => [row.id, row]))
  // An item may have been deleted since its id was read.
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined)
}

function listing(media: Media[], { page, limit }: MediaQuery, totalCount: number, isTotalCapped = false): Listing {
  const totalPages = Math.max(1, Math.ceil(totalCount / limit))
  return {
    media,
    pagination: {
      currentPage: page,
      totalPages,
      totalCount,
      isTotalCapped,
      hasPrevPage: page > 1,
      hasNextPage: page < totalPages,
    },
  }
}
