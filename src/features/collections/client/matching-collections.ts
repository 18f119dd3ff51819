import { fold } from '#shared/fold.ts'
import type { CollectionSummary } from '../contract.ts'

/** The value of "New collection" in a list of collection ids. */
export const newCollection = 'new'

/** Each word of the query must begin a word of the name, or else appear in it; those come last. */
export function matchCollections<Named extends Pick<CollectionSummary, 'name'>>(
  collections: readonly Named[],
  query: string,
): Named[] {
  const words = fold(query).split(/\s+/).filter(Boolean)
  if (words.length === 0) return [...collections]
  const ranked = collections
    .map((collection) => ({ collection, rank: rankOf(fold(collection.name), words) }))
    .filter(({ rank }) => rank < 3)
  return ranked.sort((one, other) => one.rank - other.rank).map(({ collection }) => collection)
}

function rankOf(name: string, words: string[]) {
  if (name === words.join(' ')) return 0
  if (words.every((word) => name.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(word)))) return 1
  return words.every((word) => name.includes(word)) ? 2 : 3
}

/** What Enter would choose after typing: the best match, or a new collection with the typed name. */
export const bestMatch = (matches: readonly Pick<CollectionSummary, 'id'>[]) =>
  matches[0] ? String(matches[0].id) : newCollection
