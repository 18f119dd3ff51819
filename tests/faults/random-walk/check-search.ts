import assert from 'node:assert/strict'
import type { bulkApi } from '#features/bulk-actions/contract.ts'
import { fold, sortKey } from '#shared/fold.ts'
import type { Item, Person } from './model.ts'
import { words } from './random.ts'
import { compare, idsOf, listAll, sorted } from './reading.ts'
import { call, said, type World } from './world.ts'

/** A search for each word finds exactly the items with it in a name, a tag or a description. Their collections do not count. */
export async function checkSearch(world: World, person: Person) {
  const send = person.sessions.at(-1)!
  const items = [...person.items.values()]
  const texts = new Map(items.map((item) => [item.id, textOf(item)]))
  const finding = (wanted: (text: string) => boolean, isTrashed = false) =>
    items.filter((item) => item.isTrashed === isTrashed && wanted(texts.get(item.id)!))
  const having = (part: string) => (text: string) => text.includes(fold(part))
  const search = (text: string, query = '') => listAll(world, send, `search=${encodeURIComponent(text)}${query}`)
  const expectFound = async (text: string, wanted: Item[], query = '') =>
    assert.deepEqual(sorted(idsOf(await search(text, query))), sorted(idsOf(wanted)), `what ${text} finds ${query}`)

  for (const [index, word] of words.entries()) {
    // Each check searches a quarter of the words.
    if ((index + world.turn) % 4 > 0) continue
    await expectFound(word, finding(having(word)))
    await expectFound(word, finding(having(word), true), '&trashed=true')
    const matching = await call(world, send, 'POST', '/api/media/matching-ids', { search: word, favorite: true })
    const favorites = finding(having(word)).filter(({ isFavorite }) => isFavorite)
    assert.deepEqual(
      sorted(said<typeof bulkApi.selectMatching>(matching).ids),
      sorted(idsOf(favorites)),
      `favorites with "${word}"`,
    )
  }
  const [one, other] = [words[world.turn % words.length]!, words[(world.turn * 3 + 1) % words.length]!]
  await expectFound(
    `${one} ${other}`,
    finding((text) => having(one)(text) && having(other)(text)),
  )
  await expectFound(`"${one} ${other}"`, finding(having(`${one} ${other}`)))
  await expectFound(one.slice(1, 4), finding(having(one.slice(1, 4))))
  for (const length of [1, 2]) {
    const beginning = one.slice(0, length)
    const begins = (text: string) => text.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(fold(beginning)))
    await expectFound(beginning, finding(begins))
  }
  const byName = (first: Item, second: Item) =>
    compare(sortKey(first.filename), sortKey(second.filename)) || first.id - second.id
  assert.deepEqual(idsOf(await search(one, '&sort=name')), idsOf(finding(having(one)).sort(byName)), 'by name')
  for (const shelf of person.shelves.values()) {
    const wanted = finding(having(one)).filter(({ id }) => shelf.members.includes(id))
    await expectFound(one, wanted, `&collectionId=${shelf.id}`)
  }
}

function textOf({ filename, tags, userDescription, aiDescription }: Item) {
  return fold([filename, ...tags, userDescription, aiDescription].join('\n'))
}
