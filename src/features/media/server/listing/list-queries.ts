import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { notFound } from '#platform/errors.ts'
import { countRows } from '#platform/server/db/count-rows.ts'
import { prepareQuery, prepareShapes } from '#platform/server/db/prepared.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { MediaQuery } from '../../contract.ts'
import type { Direction, Sort } from '../../limits.ts'
import type { ReadPlan } from './page-cursors.ts'

type Page = { plan: ReadPlan; limit: number }

const askForRows = prepareShapes<{ id: number; value: string | number }>()

/** Ids come from an index alone, so skipping many is cheap. A page in the second half is read from the end. */
export async function readPage(db: Db, ownerId: number, query: MediaQuery, page: Page) {
  const { collectionId, sort, direction, type, favorite, trashed } = query
  const { plan, limit } = page
  const shape = [
    sort,
    direction,
    type,
    favorite,
    trashed,
    Boolean(collectionId),
    Boolean(plan.from),
    plan.isBackwards,
  ].join()
  const given = [collectionId, ownerId, type, plan.from?.value, plan.from?.id, limit, plan.skip]
  const values = given.filter((value) => value !== undefined)
  const rows = await askForRows(db, shape, values, () => pageQuery(db, ownerId, query, page))
  return plan.isBackwards ? rows.reverse() : rows
}

function pageQuery(db: Db, ownerId: number, query: MediaQuery, { plan, limit }: Page) {
  const key = sortKeyOf(query)
  const value = key ? sql.ref<string | number>(`media.${key.column}`) : sql<number>`0`
  let page = ordered(filtered(db, ownerId, query), query, plan.isBackwards)
  if (key && plan.from) {
    const isUpwards = plan.isBackwards === (key.direction === 'desc')
    // The cursor is the first row of a page that is read forwards, and excluded from one that is read backwards.
    const compare = sql.raw(`${isUpwards ? '>' : '<'}${plan.isBackwards ? '' : '='}`)
    page = page.where(sql<boolean>`(${value}, media.id) ${compare} (${plan.from.value}, ${plan.from.id})`)
  }
  return page.select(value.as('value')).limit(limit).offset(plan.skip)
}

/** The columns of a cursor; undefined if the order is not that of one column and the id. */
export function sortKeyOf({ sort = 'recent', direction, collectionId }: MediaQuery) {
  if (collectionId || sort === 'type') return undefined
  const order = sort === 'manual' ? 'recent' : sort
  return { column: orders[order][0]![0], direction: direction ?? usualDirections[order] }
}

type IdQuery = SelectQueryBuilder<Tables & { member: Tables['collection_media'] }, 'media' | 'member', { id: number }>

function filtered(db: Db, ownerId: number, { collectionId, type, favorite, trashed }: MediaQuery): IdQuery {
  const from = collectionId
    ? db
        .selectFrom('collection_media as member')
        .innerJoin('media', 'media.id', 'member.media_id')
        .where('member.collection_id', '=', collectionId)
    : db.selectFrom('media')
  // Both shapes have the columns used below; only the first has those of `member`.
  let ids = (from as unknown as IdQuery).select('media.id as id').where('media.owner_id', '=', ownerId)
  ids = ids.where('media.is_trashed', '=', sql.lit(trashed ? 1 : 0))
  if (type) ids = ids.where('media.type', '=', type)
  if (favorite) ids = ids.where('media.is_favorite', '=', sql.lit(1))
  return ids as IdQuery
}

const orders: Record<
  Exclude<Sort, 'manual'>,
  [column: 'created_at' | 'dated_at' | 'name_key' | 'size' | 'mime_type', direction: Direction][]
> = {
  recent: [['created_at', 'desc']],
  taken: [['dated_at', 'desc']],
  name: [['name_key', 'asc']],
  size: [['size', 'desc']],
  type: [
    ['mime_type', 'asc'],
    ['created_at', 'desc'],
  ],
}

/** The direction of each order unless another is requested. */
export const usualDirections: Record<Sort, Direction> = {
  recent: 'desc',
  taken: 'desc',
  name: 'asc',
  size: 'desc',
  type: 'asc',
  manual: 'asc',
}

function ordered(ids: IdQuery, { sort: wanted = 'recent', direction, collectionId }: MediaQuery, isBackwards: boolean) {
  const usual = usualDirections[wanted === 'manual' && !collectionId ? 'recent' : wanted]
  const isFromEnd = isBackwards !== (direction !== undefined && direction !== usual)
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

export type ListFilter = Pick<MediaQuery, 'collectionId' | 'type' | 'favorite' | 'trashed'>

/** The whole list for counting and selecting; its pages use queries that follow an index. */
export function listedMedia(db: Db, ownerId: number, { collectionId, type, favorite, trashed }: ListFilter) {
  let rows = db
    .selectFrom('media')
    .where('owner_id', '=', ownerId)
    .where('is_trashed', '=', trashed ? 1 : 0)
  if (type) rows = rows.where('type', '=', type)
  if (favorite) rows = rows.where('is_favorite', '=', 1)
  if (collectionId) {
    rows = rows.where('id', 'in', (members) =>
      members.selectFrom('collection_media').select('media_id').where('collection_id', '=', collectionId),
    )
  }
  return rows
}

type Connections = { db: Kysely<Tables>; slowReads: Kysely<Tables> }

/** Exact counts, read from maintained counters where available. */
export async function countListed({ db, slowReads }: Connections, ownerId: number, query: ListFilter) {
  const { collectionId, type, favorite, trashed } = query
  const filters = [type, favorite, trashed].filter(Boolean).length
  if (collectionId) {
    const { media_count } = await loadCollection(db, ownerId, collectionId)
    return filters === 0 ? media_count : countRows(listedMedia(slowReads, ownerId, query))
  }
  if (filters > 1) return countRows(listedMedia(slowReads, ownerId, query))
  const counts = await findCounts(db, ownerId)
  // The account was deleted after its session was read.
  if (!counts) throw notFound('Account')
  if (trashed) return counts.trashed_count
  if (favorite) return counts.favorite_count
  if (type) return type === 'image' ? counts.image_count : counts.video_count
  return counts.media_count - counts.trashed_count
}

const findCounts = prepareQuery((db, ownerId: number) =>
  db
    .selectFrom('users')
    .select(['media_count', 'trashed_count', 'image_count', 'video_count', 'favorite_count'])
    .where('id', '=', ownerId),
)

const findCollection = prepareQuery((db, collectionId: number, ownerId: number) =>
  db
    .selectFrom('collections')
    .select(['id', 'owner_id', 'query', 'media_count'])
    .where('id', '=', collectionId)
    .where('owner_id', '=', ownerId),
)

export async function loadCollection(db: Kysely<Tables>, ownerId: number, collectionId: number) {
  const collection = await findCollection(db, collectionId, ownerId)
  if (!collection) throw notFound('Collection')
  return collection
}
