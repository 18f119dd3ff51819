import { sql } from 'kysely'
import { partsToAsk } from '#platform/server/db/parts-to-ask.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { fold } from '#shared/fold.ts'
import type { FacetKind } from '../tables.ts'

type FacetValue = { ownerId: number; kind: FacetKind; value: string }

const nameOf = ({ ownerId, kind, value }: FacetValue) => JSON.stringify([ownerId, kind, value])

/** The id of each tag, camera and place. The rows are there, as triggers write them; new ones get their key. */
export async function loadFacetIds(db: Db, wanted: FacetValue[]) {
  const ids = new Map<string, number>()
  const owners = [...new Set(wanted.map(({ ownerId }) => ownerId))]
  for (const part of partsToAsk([...new Set(wanted.map(({ value }) => value))])) {
    const rows = await db
      .selectFrom('facets')
      .select(['id', 'owner_id', 'kind', 'value', 'key'])
      .where('owner_id', 'in', owners)
      .where('kind', 'in', ['tag', 'camera', 'place'])
      .where('value', 'in', part)
      .execute()
    for (const { id, owner_id, kind, value, key } of rows) {
      ids.set(nameOf({ ownerId: owner_id, kind, value }), id)
      if (key === null)
        await db
          .updateTable('facets')
          .set({ key: facetKey(value) })
          .where('id', '=', id)
          .execute()
    }
  }
  return (facet: FacetValue) => ids.get(nameOf(facet))
}

/** With a space before each word, so that " can" finds the beginning of one. A value of symbols alone is its own word. */
export function facetKey(value: string) {
  const folded = fold(value)
  const words = folded.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()
  return ` ${words || folded.replace(/[%_\\\s]+/g, ' ').trim()}`
}

/** More values than these would make a search slow that only needs a longer word. */
const maxValues = 500

/** The facets whose value is the given one; for cameras and places, those that have its words at the beginnings of words. */
export async function findFacets(db: Db, ownerId: number, kind: FacetKind, value: string) {
  const key = facetKey(value)
  let rows = db.selectFrom('facets').select('id').where('owner_id', '=', ownerId).where('kind', '=', kind)
  rows = kind === 'tag' ? rows.where('key', '=', key) : rows.where('key', 'like', `%${key}%`)
  return (await rows.orderBy('item_count', 'desc').limit(maxValues).execute()).map(({ id }) => id)
}

const fewLooks = 200

/** Whether few of an owner's items have a possible duplicate. */
export async function hasFewDuplicates(db: Db, ownerId: number) {
  const looks = db.selectFrom('media_looks').select('item_count').where('owner_id', '=', ownerId)
  return (await looks.where('item_count', '>', 1).limit(fewLooks).execute()).length < fewLooks
}

/** The values with the most items, among those that have a word that begins like this. */
export async function suggestFacets(db: Db, ownerId: number, kinds: FacetKind[], start: string, limit: number) {
  return db
    .selectFrom('facets')
    .select(['kind', 'value', 'item_count'])
    .where('owner_id', '=', ownerId)
    .where('kind', 'in', kinds)
    .where('key', 'like', `%${facetKey(start)}%`)
    .where('item_count', '>', 0)
    .orderBy(sql`key LIKE ${`${facetKey(start)}%`}`, 'desc')
    .orderBy('item_count', 'desc')
    .orderBy('value')
    .limit(limit)
    .execute()
}
