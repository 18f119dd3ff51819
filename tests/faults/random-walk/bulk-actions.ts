import assert from 'node:assert/strict'
import type { bulkApi } from '#features/bulk-actions/contract.ts'
import {
  type Actor,
  asking,
  chooseIds,
  expectStatus,
  hashOf,
  learnAdded,
  learnItem,
  type MakeAct,
  reloadItem,
} from './action.ts'
import { extensionOf } from './item-actions.ts'
import { type Change, copyOf, forgetItem, type Item } from './model.ts'
import { type Answer, said } from './world.ts'

type Chosen = NonNullable<ReturnType<typeof chooseIds>>

function expectOutcome(answer: Answer, { own, all }: Chosen, status = 200) {
  expectStatus(answer, status)
  const { successful, failed } = said<typeof bulkApi.describe>(answer).summary
  assert.deepEqual([successful, failed], [own.length, all.length - own.length], answer.text)
}

function learnChange({ person }: Actor, answer: Answer, kind: Change['kind'], items: Change['items']) {
  const { changeId } = said<typeof bulkApi.describe>(answer)
  assert.equal(changeId !== undefined, items.size > 0, 'what changed something can be undone')
  if (changeId !== undefined) person.changes.push({ id: changeId, kind, items, isUndone: false })
}

/** The expected change of each chosen item and its undo; undefined for items that do not change. */
function learnEach(
  actor: Actor,
  { answer, chosen, kind }: { answer: Answer; chosen: Chosen; kind: Change['kind'] },
  change: (item: Item, index: number) => Values | undefined,
) {
  expectOutcome(answer, chosen)
  const items: Change['items'] = new Map()
  for (const [index, id] of chosen.own.entries()) {
    const values = change(actor.person.items.get(id)!, index)
    if (values) items.set(id, values)
  }
  learnChange(actor, answer, kind, items)
}

const rename: MakeAct = (actor) => {
  const { random } = actor
  const chosen = chooseIds(actor)
  if (!chosen) return
  const naming = random.pick([{ baseName: random.word() }, { prefix: `${random.word()} ` }])
  return {
    touches: chosen.own,
    ask: asking(actor, 'POST', '/api/media/bulk-rename', { mediaIds: chosen.all, ...naming }),
    learn: (answer) =>
      learnEach(actor, { answer, chosen, kind: 'rename' }, (item, index) => {
        const number = String(index + 1).padStart(String(chosen.all.length).length, '0')
        const before = item.filename
        item.filename =
          'baseName' in naming
            ? `${naming.baseName}-${number}${extensionOf(before)}`
            : `${naming.prefix!.trim()}${before}`
        return item.filename === before ? undefined : { before, after: item.filename }
      }),
  }
}

const describe: MakeAct = (actor) => {
  const { random } = actor
  const chosen = chooseIds(actor)
  if (!chosen) return
  const description = `${random.word()} ${random.word()}`
  return {
    touches: chosen.own,
    ask: asking(actor, 'POST', '/api/media/bulk-description', { mediaIds: chosen.all, description }),
    learn: (answer) =>
      learnEach(actor, { answer, chosen, kind: 'description' }, (item) => {
        const before = item.userDescription
        item.userDescription = description
        return before === description ? undefined : { before, after: description }
      }),
  }
}

const tag: MakeAct = (actor) => {
  const { random } = actor
  const chosen = chooseIds(actor)
  if (!chosen) return
  const tags = [...new Set([random.word(), random.word()])]
  return {
    touches: chosen.own,
    ask: asking(actor, 'POST', '/api/media/bulk-add-tags', { mediaIds: chosen.all, tags }),
    learn: (answer) =>
      learnEach(actor, { answer, chosen, kind: 'tags' }, (item) => {
        const added = tags.filter((wanted) => !item.tags.includes(wanted))
        item.tags = [...item.tags, ...added]
        return added.length > 0 ? { before: null, after: JSON.stringify(added) } : undefined
      }),
  }
}

const undo: MakeAct = (actor) => {
  const { person, random } = actor
  if (person.changes.length === 0) return
  const change = random.pick(person.changes.slice(-6))
  return {
    touches: [...change.items.keys()],
    shelves: change.kind === 'membership' ? [...change.items.values()].map(({ after }) => Number(after)) : [],
    ask: asking(actor, 'POST', `/api/history/${change.id}/undo`),
    learn(answer) {
      expectStatus(answer, change.isUndone ? 409 : 200)
      if (change.isUndone) return
      change.isUndone = true
      let undone = 0
      for (const [id, values] of change.items) if (takeBack(actor, change.kind, id, values)) undone++
      const outcome = said<typeof bulkApi.undo>(answer)
      assert.deepEqual([outcome.undone, outcome.kept], [undone, change.items.size - undone])
    },
  }
}

type Values = { before: string | null; after: string | null }

/** Returns whether the item was unchanged since the bulk change. */
function takeBack({ person }: Actor, kind: Change['kind'], id: number, { before, after }: Values) {
  const item = person.items.get(id)!
  if (kind === 'rename') {
    if (item.filename !== after) return false
    item.filename = before!
  } else if (kind === 'description') {
    if (item.userDescription !== after) return false
    item.userDescription = before
  } else if (kind === 'tags') {
    const added: string[] = JSON.parse(after!)
    if (!added.some((tag) => item.tags.includes(tag))) return false
    item.tags = item.tags.filter((tag) => !added.includes(tag))
  } else {
    const shelf = person.shelves.get(Number(after))
    if (!shelf?.members.includes(id)) return false
    shelf.members = shelf.members.filter((member) => member !== id)
  }
  return true
}

const remove: MakeAct = (actor) => {
  const { person, random } = actor
  const chosen = chooseIds(actor, 2)
  if (!chosen || random.chance(0.5)) return
  return {
    touches: chosen.own,
    ask: asking(actor, 'POST', '/api/media/bulk-delete', { mediaIds: chosen.all }),
    learn(answer) {
      expectOutcome(answer, chosen)
      for (const id of chosen.own) forgetItem(person, id)
    },
  }
}

const copy: MakeAct = (actor) => {
  const { person, world } = actor
  const chosen = chooseIds(actor, 2)
  if (!chosen || person.items.size > 60) return
  return {
    creates: true,
    ask: asking(actor, 'POST', '/api/media/bulk-copy', { mediaIds: chosen.all }),
    async learn(answer) {
      expectOutcome(answer, chosen, 201)
      for (const [index, id] of chosen.own.entries()) {
        const item = person.items.get(id)!
        const media = said<typeof bulkApi.copy>(answer).media[index]!
        const made = learnItem(person, media, await hashOf(world, media.id))
        assert.deepEqual(made, copyOf(item, made.id, `Copy of ${item.filename}`))
      }
    },
  }
}

const publish: MakeAct = (actor) => {
  const { person } = actor
  const chosen = chooseIds(actor, 3)
  if (!chosen) return
  return {
    touches: chosen.own,
    ask: asking(actor, 'POST', '/api/media/bulk-public', { mediaIds: chosen.all }),
    learn(answer) {
      expectOutcome(answer, chosen)
      for (const { id, publicUrl } of said<typeof bulkApi.makePublic>(answer).urls) {
        const item = person.items.get(id)!
        const slug = publicUrl.split('/').at(-1)!
        if (item.slug) assert.equal(slug, item.slug)
        item.slug = slug
      }
    },
  }
}

const convert: MakeAct = (actor) => {
  const { person, random } = actor
  const chosen = chooseIds(actor, 3)
  if (!chosen) return
  const deleteOriginal = random.chance(0.5)
  const body = { mediaIds: chosen.all, quality: 40 + random.below(50), deleteOriginal }
  return {
    touches: chosen.own,
    creates: true,
    ask: asking(actor, 'POST', '/api/media/bulk-convert-webp', body),
    async learn(answer) {
      expectOutcome(answer, chosen)
      const converted = chosen.own.length - said<typeof bulkApi.convertToWebp>(answer).unchanged
      const before = chosen.own.map((id) => structuredClone(person.items.get(id)!))
      const added = await learnAdded(actor)
      // Replaced originals are versions of their items.
      assert.equal(added.length, deleteOriginal ? 0 : converted)
      if (!deleteOriginal) return
      for (const item of before) {
        const now = await reloadItem(actor, item.id)
        const { hash: _hash, size: _size, filename: _name, ...same } = now
        const { hash: _old, size: _bytes, filename: _before, ...was } = item
        assert.deepEqual(same, was, 'only its bytes and its name are others')
      }
    },
  }
}

export const bulkActs: [weight: number, make: MakeAct][] = [
  [3, rename],
  [3, describe],
  [4, tag],
  [6, undo],
  [1, remove],
  [1, copy],
  [2, publish],
  [1, convert],
]
