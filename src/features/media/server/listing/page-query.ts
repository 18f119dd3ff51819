import { type SelectQueryBuilder, sql } from 'kysely'
import { prepareShapes } from '#platform/server/db/prepared.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { MediaQuery } from '../../contract.ts'
import type { Sort } from '../../limits.ts'
import type { Way } from './page-places.ts'

type Page = { way: Way; limit: number }

const askForRows = prepareShapes<{ id: number; value: string | number }>()

/** Ids come from an index alone, so passing over many of them is cheap; a page in the second half is read from the end. */
export async function readPage(db: Db, ownerId: number, query: MediaQuery, page: Page) {
  const { collectionId, sort, type, favorite, trashed } = query
  const { way, limit } = page
  const shape = [sort, type, favorite, trashed, Boolean(collectionId), Boolean(way.from), way.isBackwards].join()
  const given = [collectionId, ownerId, type, way.from?.value, way.from?.id, limit, way.skip]
  const values = given.filter((value) => value !== undefined)
  const rows = await askForRows(db, shape, values, () => pageQuery(db, ownerId, query, page))
  return way.isBackwards ? rows.reverse() : rows
}

function pageQuery(db: Db, ownerId: number, query: MediaQuery, { way, limit }: Page) {
  const key = sortKeyOf(query)
  const value = key ? sql.ref<string | number>(`media.${key.column}`) : sql<number>`0`
  let page = ordered(filtered(db, ownerId, query), query, way.isBackwards)
  if (key && way.from) {
    const isUpwards = way.isBackwards === (key.direction === 'desc')
    // The place itself is the first row of a page that is read onwards, and already past for one that is read back.
    const compare = sql.raw(`${isUpwards ? '>' : '<'}${way.isBackwards ? '' : '='}`)
    page = page.where(sql<boolean>`(${value}, media.id) ${compare} (${way.from.value}, ${way.from.id})`)
  }
  return page.select(value.as('value')).limit(limit).offset(way.skip)
}

/** What a place of the list is known by; none where the order is not that of one column and the id, both one way. */
export function sortKeyOf({ sort = 'recent', collectionId }: MediaQuery) {
  if (collectionId || sort === 'type') return undefined
  const [column, direction] = orders[sort === 'manual' ? 'recent' : sort][0]!
  return { column, direction }
}

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
  ids = ids.where('media.is_trashed', '=', sql.lit(trashed ? 1 : 0))
  if (type) ids = ids.where('media.type', '=', type)
  if (favorite) ids = ids.where('media.is_favorite', '=', sql.lit(1))
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
