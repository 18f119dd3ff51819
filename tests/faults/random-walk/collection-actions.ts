import assert from 'node:assert/strict'
import type { bulkApi } from '#features/bulk-actions/contract.ts'
import type { Collection, collectionsApi } from '#features/collections/contract.ts'
import type { sharingApi } from '#features/sharing/contract.ts'
import { type Actor, asking, atHand, expectStatus, hashOf, learnItem, type MakeAct } from './action.ts'
import { copyOf, type Shelf, shelvesOf, visibleItems, visibleMembers } from './model.ts'
import { read } from './reading.ts'
import { call, said } from './world.ts'

export const anyShelf = (actor: Actor) => {
  const shelves = atHand(actor, actor.person.shelves.values()).slice(0, actor.world.isCrowded ? 2 : undefined)
  return shelves.length > 0 ? actor.random.pick(shelves) : undefined
}

export const shelfOf = (collection: Collection, members: number[] = []): Shelf => ({
  id: collection.id,
  name: collection.name,
  description: collection.description,
  members,
  coverId: collection.coverMediaId,
  isPublic: collection.isPublic,
  slug: collection.publicSlug,
  password: null,
  isExpired: false,
})

const create: MakeAct = (actor) => {
  const { person, random } = actor
  if (person.shelves.size > 6) return
  const name = `${random.word()} ${random.word()}`
  return {
    creates: true,
    ask: asking(actor, 'POST', '/api/collections', { name, description: random.pick([null, random.word()]) }),
    learn(answer) {
      expectStatus(answer, 201)
      const made = said<typeof collectionsApi.create>(answer)
      assert.deepEqual([made.name, made.mediaCount], [name, 0])
      person.shelves.set(made.id, shelfOf(made))
    },
  }
}

const rename: MakeAct = (actor) => {
  const { random } = actor
  const shelf = anyShelf(actor)
  if (!shelf) return
  const cover = random.pick([null, ...shelf.members])
  const changes = random.pick<Partial<Shelf> & { coverMediaId?: number | null }>([
    { name: `${random.word()} ${random.word()}` },
    { description: random.word() },
    { coverMediaId: cover },
  ])
  return {
    touches: changes.name ? shelf.members : [],
    shelves: [shelf.id],
    ask: asking(actor, 'PATCH', `/api/collections/${shelf.id}`, changes),
    learn(answer) {
      expectStatus(answer, 200)
      const { coverMediaId, ...others } = changes
      Object.assign(shelf, others, coverMediaId !== undefined && { coverId: coverMediaId })
    },
  }
}

const remove: MakeAct = (actor) => {
  const shelf = anyShelf(actor)
  if (!shelf || actor.random.chance(0.6)) return
  return {
    touches: shelf.members,
    shelves: [shelf.id],
    ask: asking(actor, 'DELETE', `/api/collections/${shelf.id}`),
    learn(answer) {
      expectStatus(answer, 200)
      actor.person.shelves.delete(shelf.id)
    },
  }
}

const add: MakeAct = (actor) => {
  const { person, random } = actor
  const shelf = anyShelf(actor)
  const items = atHand(actor, person.items.values())
  if (!shelf || items.length === 0) return
  const { id } = random.pick(items)
  return {
    touches: [id],
    shelves: [shelf.id],
    ask: asking(actor, 'POST', `/api/collections/${shelf.id}/media/${id}`),
    learn(answer) {
      const isThere = shelf.members.includes(id)
      expectStatus(answer, isThere ? 409 : 201)
      if (!isThere) shelf.members.push(id)
    },
  }
}

const takeOut: MakeAct = (actor) => {
  const { random } = actor
  const shelf = anyShelf(actor)
  if (!shelf || shelf.members.length === 0) return
  const id = random.pick(shelf.members)
  const follower = shelf.members[shelf.members.indexOf(id) + 1] ?? null
  return {
    touches: [id],
    shelves: [shelf.id],
    ask: asking(actor, 'DELETE', `/api/collections/${shelf.id}/media/${id}`),
    learn(answer) {
      expectStatus(answer, 200)
      assert.equal(said<typeof collectionsApi.removeMedia>(answer).beforeId, follower)
      shelf.members = shelf.members.filter((member) => member !== id)
    },
  }
}

const arrange: MakeAct = (actor) => {
  const { random } = actor
  const shelf = anyShelf(actor)
  if (!shelf || shelf.members.length < 2) return
  const mediaIds = random.some(shelf.members, 3)
  const beforeId = random.pick([null, ...shelf.members])
  return {
    shelves: [shelf.id],
    ask: asking(actor, 'PATCH', `/api/collections/${shelf.id}/order`, { mediaIds, beforeId }),
    learn(answer) {
      expectStatus(answer, 200)
      if (beforeId === null || !mediaIds.includes(beforeId)) {
        const rest = shelf.members.filter((id) => !mediaIds.includes(id))
        const at = beforeId === null ? rest.length : rest.indexOf(beforeId)
        shelf.members = rest.toSpliced(at, 0, ...mediaIds)
      }
      assert.deepEqual(said<typeof collectionsApi.arrange>(answer).mediaIds, shelf.members)
    },
  }
}

const duplicate: MakeAct = (actor) => {
  const { person, random, world, send } = actor
  const shelf = anyShelf(actor)
  if (!shelf || person.shelves.size > 6 || person.items.size > 60) return
  const name = `${random.word()} ${random.word()}`
  return {
    creates: true,
    ask: asking(actor, 'POST', `/api/collections/${shelf.id}/duplicate`, { name }),
    async learn(answer) {
      expectStatus(answer, 201)
      const originals = visibleMembers(person, shelf).map((id) => person.items.get(id)!)
      const { stats, collection } = said<typeof collectionsApi.duplicate>(answer)
      assert.equal(stats.copiedMedia, originals.length)
      const path = `/api/collections/${collection.id}/media`
      const { media: copies } = await read<typeof collectionsApi.listMedia>(world, send, path)
      const made = shelfOf(collection)
      for (const [index, media] of copies.entries()) {
        const original = originals[index]!
        const copy = learnItem(person, media, await hashOf(world, media.id))
        assert.deepEqual(copy, copyOf(original, copy.id, original.filename))
        made.members.push(copy.id)
      }
      person.shelves.set(made.id, made)
    },
  }
}

const share: MakeAct = (actor) => {
  const { person, random } = actor
  const shelf = anyShelf(actor)
  if (!shelf) return
  const path = `/api/collections/${shelf.id}`
  if (random.chance(0.25)) {
    const slug = `${random.pick([person.username, 'shared'])}-${random.below(9)}-shelf`
    return {
      shelves: [shelf.id],
      ask: asking(actor, 'PATCH', `${path}/url`, { publicSlug: slug }),
      learn(answer) {
        if (answer.status === 409) return
        expectStatus(answer, 200)
        if (shelf.slug && shelf.slug !== slug) person.movedSlugs.set(shelf.slug, shelf.id)
        shelf.slug = slug
        person.movedSlugs.delete(slug)
      },
    }
  }
  if (random.chance(0.4)) {
    const isPast = random.chance(0.2)
    const password = random.chance(0.3) ? `${random.word()} secret` : null
    const expiresAt = isPast ? '2020-01-01T00:00:00Z' : random.pick([null, '2090-01-01T00:00:00Z'])
    return {
      shelves: [shelf.id],
      ask: asking(actor, 'PATCH', `${path}/sharing`, { password, expiresAt }),
      learn(answer) {
        expectStatus(answer, isPast ? 400 : 200)
        if (isPast) return
        shelf.password = password
        const { hasPassword, isExpired } = said<typeof sharingApi.changeOptions>(answer)
        assert.deepEqual([hasPassword, isExpired], [password !== null, false])
      },
    }
  }
  const isPublic = random.chance(0.75)
  return {
    shelves: [shelf.id],
    ask: asking(actor, 'PATCH', `${path}/visibility`, { isPublic }),
    learn(answer) {
      expectStatus(answer, 200)
      shelf.isPublic = isPublic
      const { publicSlug } = said<typeof collectionsApi.setVisibility>(answer)
      if (shelf.slug) assert.equal(publicSlug, shelf.slug, 'the address stays')
      shelf.slug = publicSlug
    },
  }
}

/** Moves a selection as the client does: one call per item, and one for the history. */
const move: MakeAct = (actor) => {
  const { person, random, world, send } = actor
  const shelf = anyShelf(actor)
  const items = visibleItems(person)
  if (!shelf || items.length === 0) return
  const mediaIds = random.some(items, 4).map(({ id }) => id)
  return {
    touches: mediaIds,
    shelves: [shelf.id],
    async ask() {
      for (const id of mediaIds) await call(world, send, 'POST', `/api/collections/${shelf.id}/media/${id}`)
      return call(world, send, 'POST', '/api/history/moves', { collectionId: shelf.id, mediaIds })
    },
    learn(answer) {
      expectStatus(answer, 201)
      for (const id of mediaIds) if (!shelf.members.includes(id)) shelf.members.push(id)
      assert.ok(mediaIds.every((id) => shelvesOf(person, id).includes(shelf)))
      const items = new Map(mediaIds.map((id) => [id, { before: null, after: String(shelf.id) }]))
      person.changes.push({
        id: said<typeof bulkApi.recordMove>(answer).id,
        kind: 'membership',
        items,
        isUndone: false,
      })
    },
  }
}

export const shelfActs: [weight: number, make: MakeAct][] = [
  [3, create],
  [3, rename],
  [1, remove],
  [6, add],
  [3, takeOut],
  [4, arrange],
  [1, duplicate],
  [5, share],
  [2, move],
]
