import assert from 'node:assert/strict'
import type { Media, mediaApi } from '#features/media/contract.ts'
import { until } from '../../support/until.ts'
import type { Send } from '../killable-server.ts'
import type { Item, Person } from './model.ts'
import type { Random } from './random.ts'
import { read } from './reading.ts'
import { type Answer, call, said, type World } from './world.ts'

/** One action of a user: the request, and how the model changes after the response if no other session of the user acts. */
export type Act = {
  /** Items that the action may change; if it is interrupted, it may have changed them or not. */
  touches?: number[]
  shelves?: number[]
  creates?: boolean
  ask: () => Promise<Answer>
  learn: (answer: Answer) => void | Promise<void>
}

export type Actor = { world: World; person: Person; random: Random; send: Send }
/** Undefined if the user has nothing to perform the action on. */
export type MakeAct = (actor: Actor) => Act | undefined | Promise<Act | undefined>

export const asking =
  ({ world, send }: Actor, method: string, path: string, body?: object) =>
  () =>
    call(world, send, method, path, body)

export function expectStatus({ status, text }: Answer, wanted: number) {
  assert.equal(status, wanted, text)
}

/** The items that a user chooses from; only a few while all of their sessions act at once, so that actions collide. */
export function atHand<T>({ world, random }: Actor, things: Iterable<T>): T[] {
  const all = [...things]
  return world.isCrowded && random.chance(0.8) ? all.slice(0, 5) : all
}

/** Some ids of the user's own items, and sometimes one of another user's item or one that does not exist. */
export function chooseIds(actor: Actor, most = 6) {
  const { world, person, random } = actor
  const candidates: Item[] = atHand(actor, person.items.values())
  if (candidates.length === 0) return undefined
  const own = random.some(candidates, most).map(({ id }) => id)
  const others = world.people.filter((other) => other !== person).flatMap(({ items }) => [...items.keys()])
  const foreign = random.chance(0.15) ? [others.length > 0 ? random.pick(others) : 900_000_001] : []
  return { own, all: [...own, ...foreign] }
}

/** Converts an item of the response to the model's item. */
export function learnItem(person: Person, media: Media, hash: string): Item {
  const item = itemOf(media, hash)
  person.items.set(item.id, item)
  return item
}

export const itemOf = (media: Media, hash: string): Item => ({
  id: media.id,
  filename: media.filename,
  hash,
  size: media.size,
  userDescription: media.userDescription,
  aiDescription: media.aiDescription,
  tags: media.aiTags,
  isFavorite: media.isFavorite,
  isTrashed: media.trashedAt !== null,
  slug: media.publicUrlSlug,
})

/** Reads the hash of an item's current bytes from the server. */
export async function hashOf(world: World, id: number): Promise<string> {
  const [row] = await world.query<{ blob: string }>(`SELECT blob FROM media WHERE id = ${id}`)
  assert.ok(row, `item ${id} has a row`)
  return row.blob
}

/** Copies the item from the server into the model, for texts that an AI has written. */
export async function reloadItem({ world, person, send }: Omit<Actor, 'random'>, id: number) {
  const answer = await call(world, send, 'GET', `/api/media/${id}`)
  expectStatus(answer, 200)
  return learnItem(person, said<typeof mediaApi.get>(answer), await hashOf(world, id))
}

/** Waits until the AI has read the item, and copies what it wrote. */
export async function learnAnalyzed(actor: Actor, id: number) {
  const { world, send } = actor
  await until('it is analyzed', async () => {
    const { aiStatus } = await read<typeof mediaApi.get>(world, send, `/api/media/${id}`)
    return aiStatus !== 'waiting'
  })
  await reloadItem(actor, id)
}

/** Adds items to the model that are in the library but not in the model. */
export async function learnAdded({ world, person }: Actor): Promise<Item[]> {
  const rows = await world.query<{ id: number }>(`SELECT id FROM media WHERE owner_id = ${person.id} ORDER BY id`)
  const added: Item[] = []
  for (const { id } of rows) {
    if (person.items.has(id)) continue
    added.push(await reloadItem({ world, person, send: person.sessions[0]! }, id))
  }
  return added
}
