import assert from 'node:assert/strict'
import type { analysisApi } from '#features/analysis/contract.ts'
import type { conversionApi } from '#features/conversion/contract.ts'
import type { mediaApi, trashApi } from '#features/media/contract.ts'
import type { versionsApi } from '#features/versions/contract.ts'
import { multipart } from '../../support/multipart.ts'
import { sha256 } from '../library.ts'
import {
  type Actor,
  asking,
  atHand,
  chooseIds,
  expectStatus,
  hashOf,
  itemOf,
  learnAnalyzed,
  learnItem,
  type MakeAct,
} from './action.ts'
import { copyOf, forgetItem, type Item, visibleItems } from './model.ts'
import { drawPicture } from './random.ts'
import { call, said } from './world.ts'

export const extensionOf = (filename: string) => filename.slice(filename.lastIndexOf('.'))
export const anyItem = (actor: Actor) => {
  const items = atHand(actor, actor.person.items.values())
  return items.length > 0 ? actor.random.pick(items) : undefined
}

export const newName = ({ random }: Actor, extension: string) => `${random.word()} ${random.word()}.${extension}`

const patch: MakeAct = (actor) => {
  const { random } = actor
  const item = anyItem(actor)
  if (!item) return
  const changes = random.pick([
    { filename: newName(actor, extensionOf(item.filename).slice(1)) },
    { userDescription: random.chance(0.2) ? null : `${random.word()} ${random.word()}` },
    { aiDescription: `${random.word()}, ${random.word()}` },
    { aiTags: [...new Set([...item.tags.slice(random.below(2)), random.word()])] },
    { aiTags: random.chance(0.5) ? [] : item.tags.toReversed() },
    { isFavorite: !item.isFavorite },
  ])
  return {
    touches: [item.id],
    ask: asking(actor, 'PATCH', `/api/media/${item.id}`, changes),
    learn(answer) {
      expectStatus(answer, 200)
      const { aiTags, ...others } = changes as { aiTags?: string[] } & Partial<Item>
      Object.assign(item, others, aiTags && { tags: aiTags })
      assert.deepEqual(itemOf(said<typeof mediaApi.patch>(answer), item.hash), item)
    },
  }
}

/** Every action on another user's item gets a 404. */
const meddle: MakeAct = (actor) => {
  const { world, person, random } = actor
  const theirs = world.people.filter((other) => other !== person).flatMap(({ items }) => [...items.keys()])
  if (theirs.length === 0) return
  const path = `/api/media/${random.pick(theirs)}`
  const shelf = random.pick([...person.shelves.keys(), 900_000_002])
  const ask = random.pick([
    asking(actor, 'GET', path),
    asking(actor, 'PATCH', path, { filename: 'stolen.jpg', aiTags: ['stolen'] }),
    asking(actor, 'DELETE', path),
    asking(actor, 'POST', `${path}/copy`),
    asking(actor, 'POST', `${path}/public`),
    asking(actor, 'POST', `${path}/convert-webp`, {}),
    asking(actor, 'POST', `/api/collections/${shelf}/media/${path.split('/').at(-1)}`),
    asking(actor, 'POST', '/api/media/bulk-trash', { mediaIds: [Number(path.split('/').at(-1))] }),
  ])
  return { ask, learn: (answer) => expectStatus(answer, 404) }
}

const remove: MakeAct = (actor) => {
  const item = anyItem(actor)
  if (!item || actor.random.chance(0.5)) return
  return {
    touches: [item.id],
    ask: asking(actor, 'DELETE', `/api/media/${item.id}`),
    learn(answer) {
      expectStatus(answer, 200)
      forgetItem(actor.person, item.id)
    },
  }
}

const copy: MakeAct = (actor) => {
  const item = anyItem(actor)
  if (!item) return
  return {
    creates: true,
    ask: asking(actor, 'POST', `/api/media/${item.id}/copy`),
    learn(answer) {
      expectStatus(answer, 201)
      const added = learnItem(actor.person, said<typeof mediaApi.copy>(answer), item.hash)
      assert.deepEqual(added, copyOf(item, added.id, `Copy of ${item.filename}`))
    },
  }
}

const convert: MakeAct = (actor) => {
  const { person, random, world } = actor
  const item = anyItem(actor)
  if (!item) return
  const deleteOriginal = random.chance(0.5)
  const body = { quality: 40 + random.below(50), deleteOriginal }
  return {
    touches: [item.id],
    creates: !deleteOriginal,
    ask: asking(actor, 'POST', `/api/media/${item.id}/convert-webp`, body),
    async learn(answer) {
      expectStatus(answer, 200)
      const { media, isConverted, newSize } = said<typeof conversionApi.convertToWebp>(answer)
      if (!isConverted) return
      assert.equal(media.size, newSize)
      const hash = await hashOf(world, media.id)
      const made = learnItem(person, media, hash)
      const wanted = deleteOriginal ? item : copyOf(item, made.id, '')
      const isWebp = item.filename.endsWith('.webp')
      const stem = item.filename.slice(0, -extensionOf(item.filename).length)
      const copyName = isWebp ? `${stem}-compressed.webp` : `${stem}.webp`
      const filename = deleteOriginal && isWebp ? item.filename : copyName
      assert.deepEqual(made, { ...wanted, filename, hash, size: newSize })
      assert.equal(made.id === item.id, deleteOriginal)
    },
  }
}

const replace: MakeAct = async (actor) => {
  const { world, random, send, person } = actor
  const item = anyItem(actor)
  if (!item) return
  const { extension, bytes } = await drawPicture(random)
  const file = multipart([{ name: newName(actor, extension), bytes }], {}, 'file')
  return {
    touches: [item.id],
    ask: () => call(world, send, 'POST', `/api/media/${item.id}/replace`, file),
    async learn(answer) {
      expectStatus(answer, 200)
      const replaced = learnItem(person, said<typeof versionsApi.replace>(answer), sha256(bytes))
      const stem = item.filename.slice(0, -extensionOf(item.filename).length)
      const texts = { aiDescription: replaced.aiDescription, tags: replaced.tags }
      const file = { filename: `${stem}.${extension}`, hash: sha256(bytes), size: bytes.length }
      assert.deepEqual(replaced, { ...item, ...texts, ...file })
      await learnAnalyzed(actor, item.id)
    },
  }
}

const restoreVersion: MakeAct = async (actor) => {
  const { world, random } = actor
  const item = anyItem(actor)
  if (!item) return
  const versions = await world.query<{ id: number; size: number }>(
    `SELECT id, size FROM media_versions WHERE media_id = ${item.id}`,
  )
  if (versions.length === 0) return
  const version = random.pick(versions)
  return {
    touches: [item.id],
    ask: asking(actor, 'POST', `/api/media/${item.id}/versions/${version.id}/restore`),
    async learn(answer) {
      expectStatus(answer, 200)
      assert.equal(said<typeof versionsApi.restore>(answer).size, version.size)
      await learnAnalyzed(actor, item.id)
    },
  }
}

const publish: MakeAct = (actor) => {
  const { random, person } = actor
  const item = anyItem(actor)
  if (!item) return
  const path = `/api/media/${item.id}/public`
  if (item.slug && random.chance(0.3)) {
    const slug = `${person.username}-${random.below(30)}-item`
    return {
      touches: [item.id],
      ask: asking(actor, 'PATCH', `${path}-url`, { publicUrlSlug: slug }),
      learn(answer) {
        if (answer.status === 409) return
        expectStatus(answer, 200)
        item.slug = said<typeof mediaApi.renamePublicUrl>(answer).publicUrlSlug
        assert.equal(item.slug, slug)
      },
    }
  }
  const isWanted = random.chance(0.6)
  return {
    touches: [item.id],
    ask: asking(actor, isWanted ? 'POST' : 'DELETE', path),
    learn(answer) {
      expectStatus(answer, 200)
      const { publicUrlSlug } = said<typeof mediaApi.makePrivate>(answer)
      if (isWanted && item.slug) assert.equal(publicUrlSlug, item.slug, 'asked again, it is the same')
      item.slug = publicUrlSlug
      assert.equal(item.slug !== null, isWanted)
    },
  }
}

const trash =
  (isTrashed: boolean): MakeAct =>
  (actor) => {
    const { person } = actor
    const chosen = chooseIds(actor)
    if (!chosen) return
    const path = `/api/media/bulk-${isTrashed ? 'trash' : 'restore'}`
    return {
      touches: chosen.own,
      ask: asking(actor, 'POST', path, { mediaIds: chosen.all }),
      learn(answer) {
        expectStatus(answer, 200)
        const failed = chosen.all.length - chosen.own.length
        assert.deepEqual(said<typeof trashApi.trash>(answer).summary, { successful: chosen.own.length, failed })
        for (const id of chosen.own) person.items.get(id)!.isTrashed = isTrashed
      },
    }
  }

const emptyTrash: MakeAct = (actor) => {
  const { person, random } = actor
  if (random.chance(0.6)) return
  const trashed = [...person.items.values()].filter(({ isTrashed }) => isTrashed).map(({ id }) => id)
  return {
    touches: trashed,
    ask: asking(actor, 'DELETE', '/api/trash'),
    learn(answer) {
      expectStatus(answer, 200)
      assert.equal(said<typeof trashApi.emptyTrash>(answer).deleted, trashed.length)
      for (const id of trashed) forgetItem(person, id)
    },
  }
}

const duplicates: MakeAct = (actor) => {
  const { random, person } = actor
  const items = visibleItems(person)
  if (items.length < 2) return
  const mediaIds = random.some(items, 3).map(({ id }) => id)
  const ask =
    mediaIds.length > 1 && random.chance(0.5)
      ? asking(actor, 'POST', '/api/media/duplicates/dismissals', { mediaIds })
      : asking(actor, 'GET', '/api/media/duplicates')
  return {
    ask,
    learn(answer) {
      assert.ok(answer.status < 300, answer.text)
      const { groups = [] } = said<typeof analysisApi.duplicates>(answer)
      for (const media of groups.flat())
        assert.equal(person.items.get(media.id)?.isTrashed, false, 'a duplicate is one of theirs, and not in the trash')
    },
  }
}

export const itemActs: [weight: number, make: MakeAct][] = [
  [10, patch],
  [3, meddle],
  [2, remove],
  [2, copy],
  [2, convert],
  [2, replace],
  [1, restoreVersion],
  [3, publish],
  [3, trash(true)],
  [3, trash(false)],
  [1, emptyTrash],
  [1, duplicates],
]
