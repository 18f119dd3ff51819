import assert from 'node:assert/strict'
import type { adminApi } from '#features/admin/contract.ts'
import type { authApi } from '#features/auth/contract.ts'
import type { bulkApi } from '#features/bulk-actions/contract.ts'
import type { Collection, collectionsApi } from '#features/collections/contract.ts'
import { sortKey } from '#shared/fold.ts'
import type { Send } from '../killable-server.ts'
import { sha256 } from '../library.ts'
import { itemOf } from './action.ts'
import { checkSearch } from './check-search.ts'
import { type Item, type Person, shelvesOf, visibleItems, visibleMembers } from './model.ts'
import { areAlike, looksOf } from './random.ts'
import { compare, idsOf, listAll, read, sorted } from './reading.ts'
import type { World } from './world.ts'

/** Checks that all responses to this user match the model. */
export async function checkPerson(world: World, person: Person) {
  await checkLists(world, person)
  await checkShelves(world, person)
  await checkSearch(world, person)
  await checkHistory(world, person)
}

async function checkHistory(world: World, { changes, sessions }: Person) {
  const listed = (await read<typeof bulkApi.history>(world, sessions.at(-1)!, '/api/history')).changes
  for (const { id, kind, isUndone } of changes) {
    const entry = listed.find((change) => change.id === id)
    assert.deepEqual([entry?.kind, entry?.undoneAt !== null], [kind, isUndone], `change ${id} in the history`)
  }
}

async function checkLists(world: World, person: Person) {
  const send = person.sessions.at(-1)!
  const { items } = person
  const visible = visibleItems(person)
  const [shown, trashed] = [
    await listAll(world, send, 'sort=recent'),
    await listAll(world, send, 'trashed=true&sort=recent'),
  ]
  const seen = [...shown, ...trashed]
  assert.deepEqual(sorted(idsOf(seen)), sorted(items.keys()), `the items of ${person.username}`)
  for (const media of seen) {
    const item = items.get(media.id)!
    assert.deepEqual(itemOf(media, item.hash), item)
    assert.deepEqual(sorted(idsOf(media.collections)), sorted(idsOf(shelvesOf(person, media.id))), 'its collections')
    assert.equal(media.file, 'ok')
  }
  const byTime = shown.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt) || other.id - one.id)
  assert.deepEqual(idsOf(shown), idsOf(byTime), 'the newest first')
  const byName = (one: Item, other: Item) =>
    compare(sortKey(one.filename), sortKey(other.filename)) || one.id - other.id
  const named = await listAll(world, send, 'sort=name')
  assert.deepEqual(idsOf(named), idsOf(visible.toSorted(byName)), 'by name')
  const bySize = visible.toSorted((one, other) => other.size - one.size || other.id - one.id)
  assert.deepEqual(idsOf(await listAll(world, send, 'sort=size')), idsOf(bySize), 'by size')
  const favorites = visible.filter(({ isFavorite }) => isFavorite)
  assert.deepEqual(sorted(idsOf(await listAll(world, send, 'favorite=true'))), sorted(idsOf(favorites)))
  const recent = (await read<typeof bulkApi.recentUploads>(world, send, '/api/media/recent-uploads')).media
  assert.deepEqual(idsOf(recent), idsOf(shown), 'the newest, for smart selection')
  const storage = await read<typeof authApi.storage>(world, send, '/api/user/storage')
  const bytes = await bytesOfPerson(world, person)
  assert.deepEqual([storage.usedBytes, storage.totalFiles], [bytes, items.size], 'what is used of the quota')
}

async function checkShelves(world: World, person: Person) {
  const send = person.sessions.at(-1)!
  const listed = (await read<typeof collectionsApi.list>(world, send, '/api/collections')) as Collection[]
  assert.deepEqual(sorted(idsOf(listed)), sorted(person.shelves.keys()), `the collections of ${person.username}`)
  for (const collection of listed) {
    const shelf = person.shelves.get(collection.id)!
    const members = visibleMembers(person, shelf)
    const { name, description, isPublic, publicSlug, mediaCount } = collection
    assert.deepEqual(
      [name, description, isPublic, publicSlug, mediaCount],
      [shelf.name, shelf.description, shelf.isPublic, shelf.slug, members.length],
    )
    const cover = members.filter((id) => id === shelf.coverId)
    const samples = [...cover, ...members.filter((id) => id !== shelf.coverId)].slice(0, 4)
    assert.deepEqual(idsOf(collection.sampleMedia), samples, 'the cover and the first ones')
    const { media } = await read<typeof collectionsApi.listMedia>(world, send, `/api/collections/${shelf.id}/media`)
    assert.deepEqual(idsOf(media), members, `the order of ${name}`)
    const asList = await listAll(world, send, `collectionId=${shelf.id}&sort=manual`)
    assert.deepEqual(idsOf(asList), members, `the order of ${name} as a list`)
    const recent = await listAll(world, send, `collectionId=${shelf.id}&sort=recent`)
    assert.deepEqual(sorted(idsOf(recent)), sorted(members))
  }
}

/** Checks that each item has its own bytes and a thumbnail of them. `known` caches checked files. */
export async function checkFiles(world: World, person: Person, known: Set<string>) {
  const send = person.sessions[0]!
  for (const media of [...(await listAll(world, send, '')), ...(await listAll(world, send, 'trashed=true'))]) {
    if (known.has(media.originalUrl)) continue
    const original = await bytesOf(send, media.originalUrl)
    assert.equal(sha256(original), person.items.get(media.id)!.hash, `the bytes of ${media.filename}`)
    assert.ok(media.originalUrl.includes(sha256(original).slice(0, 12)), 'its address has the version of its bytes')
    const thumbnail = await bytesOf(send, media.thumbnailUrl)
    const looks = [await looksOf(original), await looksOf(thumbnail)] as const
    assert.ok(areAlike(...looks), `the thumbnail of ${media.filename}: ${looks.join(' / ')}`)
    known.add(media.originalUrl)
  }
}

async function bytesOf(send: Send, path: string) {
  const answer = await send('GET', path)
  assert.equal(answer.status, 200, `${path} ${answer.status}`)
  return Buffer.from(await answer.arrayBuffer())
}

/** Bytes that several items or earlier versions of them share count once. */
async function bytesOfPerson(world: World, { id, items }: Person) {
  const versions = await world.query<{ blob: string; size: number }>(
    `SELECT blob, size FROM media_versions WHERE owner_id = ${id}`,
  )
  const sizes = new Map([...items.values()].map(({ hash, size }) => [hash, size]))
  for (const { blob, size } of versions) sizes.set(blob, size)
  return [...sizes.values()].reduce((sum, size) => sum + size, 0)
}

/** Checks that the administrator's numbers are the sums over all users. */
export async function checkTotals(world: World) {
  const send = world.library.send
  const rows = await read<typeof adminApi.users>(world, send, '/api/admin/users')
  for (const person of world.people) {
    const { id, items, shelves } = person
    const row = rows.find((user) => user.id === id)!
    const bytes = await bytesOfPerson(world, person)
    const { media_count, collection_count, storage_used } = row
    assert.deepEqual([media_count, collection_count, storage_used], [items.size, shelves.size, bytes])
  }
  const stats = await read<typeof adminApi.stats>(world, send, '/api/admin/stats')
  type Counted = 'media_count' | 'collection_count' | 'storage_used'
  const sum = (field: Counted) => rows.reduce((total, row) => total + row[field], 0)
  assert.deepEqual(
    [stats.totalUsers, stats.totalMedia, stats.totalCollections, stats.totalStorage],
    [rows.length, sum('media_count'), sum('collection_count'), sum('storage_used')],
  )
}
