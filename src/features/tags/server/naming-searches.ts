import { collectionsNaming, renameTagsInQueries } from '#features/media/server/listing/collections-naming.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { TagEdit } from './edit-tags.ts'

/** Lets smart collections follow a tag that gets another name. Returns a sentence about those that name the edited tags. */
export async function followTags(transaction: Db, ownerId: number, { from, into }: TagEdit) {
  if (into !== null) return inWords(await renameTagsInQueries(transaction, ownerId, from, into), 'now', [into])
  const naming = await collectionsNaming(transaction, ownerId, 'tag')
  return inWords([...new Set(from.flatMap(naming.of))], 'still', from)
}

const namedAtMost = 3

function inWords(names: string[], when: 'now' | 'still', tags: string[]) {
  if (names.length === 0) return ''
  const more = names.length > namedAtMost ? ` and ${names.length - namedAtMost} more` : ''
  const shown = names.slice(0, namedAtMost).map((name) => `"${name}"`)
  const subject = names.length === 1 ? 'The smart collection' : 'The smart collections'
  const verb = names.length === 1 ? 'searches' : 'search'
  const searched = tags.map((tag) => `"${tag}"`).join(', ')
  return ` ${subject} ${shown.join(', ')}${more} ${when} ${verb} for ${searched}.`
}
