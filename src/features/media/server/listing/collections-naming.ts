import type { Db } from '#platform/server/db/tables.ts'
import { fold } from '#shared/fold.ts'
import { parseSearch } from '../../search-query.ts'
import { facetKey } from './facets.ts'

const keysOf = { tag: facetKey, website: fold }

/** The names of the smart collections whose search names a tag or website, to be told before it is deleted. */
export async function collectionsNaming(db: Db, ownerId: number, kind: keyof typeof keysOf) {
  const keyOf = keysOf[kind]
  const smart = await db
    .selectFrom('collections')
    .select(['name', 'query'])
    .where('owner_id', '=', ownerId)
    .where('query', 'is not', null)
    .orderBy('name')
    .orderBy('id')
    .execute()
  const named = smart.map(({ name, query }) => {
    const filters = parseSearch(query!).filters.filter((filter) => filter.name === kind)
    return { name, keys: filters.map(({ value }) => keyOf(value)) }
  })
  return { of: (value: string) => named.filter(({ keys }) => keys.includes(keyOf(value))).map(({ name }) => name) }
}
