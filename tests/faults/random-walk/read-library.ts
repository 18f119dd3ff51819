import type { Collection, collectionsApi } from '#features/collections/contract.ts'
import type { sharingApi } from '#features/sharing/contract.ts'
import { itemOf } from './action.ts'
import { shelfOf } from './collection-actions.ts'
import type { Item, Person, Shelf } from './model.ts'
import { listAll, read } from './reading.ts'
import type { World } from './world.ts'

type Library = Pick<Person, 'items' | 'shelves'>

/** Reads a user's library from the server, since the order of concurrent changes is not defined. */
export async function readLibrary(world: World, person: Person): Promise<Library> {
  const send = person.sessions[0]!
  const rows = await world.query<{ id: number; blob: string }>(
    `SELECT id, blob FROM media WHERE owner_id = ${person.id}`,
  )
  const hashes = new Map(rows.map(({ id, blob }) => [id, blob]))
  const items = new Map<number, Item>()
  const seen = [...(await listAll(world, send, '')), ...(await listAll(world, send, 'trashed=true'))]
  for (const media of seen) items.set(media.id, itemOf(media, hashes.get(media.id)!))
  // The order of items in the trash can only be read from the database.
  const places = await world.query<{ collection_id: number; media_id: number }>(
    `SELECT collection_id, media_id FROM collection_media ORDER BY position, media_id`,
  )
  const shelves = new Map<number, Shelf>()
  for (const collection of (await read<typeof collectionsApi.list>(world, send, '/api/collections')) as Collection[]) {
    const members = places.filter((place) => place.collection_id === collection.id).map(({ media_id }) => media_id)
    const { hasPassword, isExpired } = await read<typeof sharingApi.options>(
      world,
      send,
      `/api/collections/${collection.id}/sharing`,
    )
    const password = hasPassword ? (person.shelves.get(collection.id)?.password ?? 'unknown') : null
    shelves.set(collection.id, { ...shelfOf(collection, members), password, isExpired })
  }
  return { items, shelves }
}

export async function adopt(world: World, person: Person) {
  Object.assign(person, await readLibrary(world, person), { changes: [], movedSlugs: new Map() })
}
