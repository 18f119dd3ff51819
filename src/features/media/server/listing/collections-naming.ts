import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { fold } from '#shared/fold.ts'
import { parseSearch, printFilter, printSearch, type SearchFilter } from '../../search-query.ts'
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

/**
 * Lets smart collections follow tags that are replaced by another. An exclusion keeps the earlier tag too, so that nothing that
 * was left out is shown to visitors, also while items are still being changed or after an undo. Returns their names.
 */
export async function renameTagsInQueries(transaction: Db, ownerId: number, from: string[], into: string) {
  const smart = transaction
    .selectFrom('collections')
    .select(['id', 'name', 'query'])
    .where('owner_id', '=', ownerId)
    .where('query', 'is not', null)
    .orderBy('id')
  const replaced = new Set(from.map(facetKey).filter((key) => key !== facetKey(into)))
  const renamed: string[] = []
  for (const { id, name, query } of await dialectOf(transaction).lockRows(smart).execute()) {
    const parsed = parseSearch(query!)
    const isReplaced = (filter: SearchFilter) => filter.name === 'tag' && replaced.has(facetKey(filter.value))
    if (!parsed.filters.some(isReplaced)) continue
    const filters = parsed.filters.flatMap((filter) => {
      if (!isReplaced(filter)) return [filter]
      const followed = { ...filter, value: into }
      return filter.isExcluded ? [filter, followed] : [followed]
    })
    const changed = printSearch({ ...parsed, filters: filters.filter(isFirst) })
    await transaction
      .updateTable('collections')
      .set({ query: changed, updated_at: Date.now() })
      .where('id', '=', id)
      .execute()
    renamed.push(name)
  }
  return renamed
}

const isFirst = (filter: SearchFilter, index: number, filters: SearchFilter[]) =>
  filters.findIndex((other) => printFilter(other) === printFilter(filter)) === index
