import assert from 'node:assert/strict'
import type { Act } from './action.ts'
import type { Person } from './model.ts'

/** Acknowledged changes survive a kill, nothing else has appeared, and an interrupted action is done completely or not at all. */
export function expectAcknowledged(person: Person, now: Pick<Person, 'items' | 'shelves'>, cut: Act | undefined) {
  const open = new Set(cut?.touches)
  for (const item of person.items.values()) {
    if (!open.has(item.id)) assert.deepEqual(now.items.get(item.id), item, 'what was acknowledged is there')
  }
  const isNew = [...now.items.keys()].filter((id) => !person.items.has(id))
  assert.ok(isNew.length === 0 || cut?.creates, `no item appeared without a request: ${isNew}`)
  for (const shelf of person.shelves.values()) {
    if (cut?.shelves?.includes(shelf.id)) continue
    const found = now.shelves.get(shelf.id)
    const settled = (members: number[] = []) => members.filter((id) => !open.has(id))
    assert.deepEqual(
      { ...found, members: settled(found?.members) },
      { ...shelf, members: settled(shelf.members) },
      'a collection that was acknowledged is there',
    )
  }
}
