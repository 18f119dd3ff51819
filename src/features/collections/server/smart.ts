import type { Kysely } from 'kysely'
import { maxItemsAtOnce } from '#features/media/limits.ts'
import { parseSearch } from '#features/media/search-query.ts'
import { itemsOf } from '#features/media/server/listing/collection-items.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { lockMedia } from '#features/media/server/store.ts'
import { conflict, invalid } from '#platform/errors.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { chunksOf } from '#shared/chunks.ts'
import { fold } from '#shared/fold.ts'
import { type CollectionRow, holdCollection, insertMemberships, updateCollection } from './store.ts'

/** `name` is that of the collection, which would contain itself. */
export function checkQuery(query: string | null | undefined, name: string) {
  if (!query) return
  const { words, phrases, exclusions, filters } = parseSearch(query)
  if (words.length + phrases.length + exclusions.length + filters.length === 0)
    throw invalid('Please enter a search.', { field: 'query' })
  const isItself = filters.some((filter) => filter.name === 'in' && fold(filter.value) === fold(name))
  if (isItself) throw invalid(`The search names "${name}" itself. Remove that filter.`, { field: 'query' })
}

const batch = 200

/** Makes a collection of the items that match its query now, in their order. It keeps its address and settings. */
export async function freezeCollection(db: Kysely<Tables>, collection: Owned<CollectionRow>) {
  return db.transaction().execute(async (transaction) => {
    const found = (await itemsOf(transaction, collection)).inOrder({ limit: maxItemsAtOnce + 1 })
    const ids = (await found.select('media.id').execute()).map(({ id }) => id)
    // See [Note: Items are locked first].
    const held = await lockMedia(transaction, ids)
    const { name, query } = await holdCollection(transaction, collection.id)
    if (query === null) throw conflict(`"${name}" is not a smart collection.`)
    if (query !== collection.query) throw conflict(`The search of "${name}" has just been changed. Please try again.`)
    if (ids.length > maxItemsAtOnce) {
      const limit = maxItemsAtOnce.toLocaleString('en')
      throw conflict(`"${name}" has more than ${limit} items. Narrow its search before you freeze it.`)
    }
    const row = await updateCollection(transaction, collection.id, { query: null })
    const present = (await itemsOf(transaction, collection)).among
    let after = 0
    for (const part of chunksOf(ids, batch)) {
      // An item may have been changed until it was locked.
      const media = await present(part).select(['media.id', 'media.created_at']).execute()
      if (media.length > 0) await insertMemberships(transaction, collection.id, { media, after })
      after += media.length
    }
    await indexMedia(transaction, held)
    return { ...row, media_count: after }
  })
}
