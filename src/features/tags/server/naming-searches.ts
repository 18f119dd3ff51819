import { parseSearch } from '#features/media/search-query.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { fold } from '#shared/fold.ts'

/** The names of the smart collections whose search asks for one of the tags, or excludes it. */
export async function listNamingCollections(db: Db, ownerId: number, tags: string[]): Promise<string[]> {
  const smart = await db
    .selectFrom('collections')
    .select(['name', 'query'])
    .where('owner_id', '=', ownerId)
    .where('query', 'is not', null)
    .orderBy('name')
    .execute()
  const wanted = new Set(tags.map(fold))
  const names = (query: string) =>
    parseSearch(query).filters.some(({ name, value }) => name === 'tag' && wanted.has(fold(value)))
  return smart.filter(({ query }) => names(query!)).map(({ name }) => name)
}

const namedAtMost = 3

/** A sentence about collections that will not find the tags any more. */
export function collectionsInWords(names: string[], tags: string[]) {
  if (names.length === 0) return ''
  const more = names.length > namedAtMost ? ` and ${names.length - namedAtMost} more` : ''
  const shown = names.slice(0, namedAtMost).map((name) => `"${name}"`)
  const subject = names.length === 1 ? 'The smart collection' : 'The smart collections'
  const verb = names.length === 1 ? 'searches' : 'search'
  const searched = tags.map((tag) => `"${tag}"`).join(', ')
  return ` ${subject} ${shown.join(', ')}${more} still ${verb} for ${searched}.`
}
