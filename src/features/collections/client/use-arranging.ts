import { useState } from 'react'
import type { Media } from '#features/media/contract.ts'
import { indexAfterKey } from '#ui/keys/grid-keys.ts'
import { useEscape } from '#ui/layers/use-escape.ts'
import { followerOf, isSameSet, moveTo } from './arrange-order.ts'
import { useArrangeCollection } from './mutations.ts'

/**
 * An item is picked up (by a press, Space or the beginning of a drag), moved, and put down. While it is held only the
 * page changes; putting it down tells the server.
 */
export function useArranging(collectionId: number, media: readonly Media[]) {
  const arrange = useArrangeCollection()
  /** What the server was told, until its own order is known. */
  const [told, setTold] = useState<number[]>()
  /** Moved so far, or not at all. */
  const [lastHeld, setHeld] = useState<{ id: number; moved?: number[] }>()
  const ids = media.map(({ id }) => id)
  // What was taken out elsewhere meanwhile cannot be put down.
  const held = lastHeld && ids.includes(lastHeld.id) ? lastHeld : undefined
  // What was added or removed elsewhere meanwhile counts more than an order of ours.
  const known = told && isSameSet(told, ids) ? told : ids
  const order = held?.moved && isSameSet(held.moved, ids) ? held.moved : known

  const pickUp = (id: number) => setHeld({ id })
  const hold = (index: number) => held && setHeld({ id: held.id, moved: moveTo(order, held.id, index) })
  const giveUp = () => setHeld(undefined)
  // Escape lets go of the item before it closes the dialog.
  useEscape(held !== undefined, giveUp)

  function putDown(next = order) {
    if (!held) return
    setHeld(undefined)
    if (next.join() === known.join()) return
    setTold(next)
    const beforeId = followerOf(next, held.id)
    // Of several that are on their way only the last one calls this.
    arrange.mutate({ id: collectionId, mediaId: held.id, beforeId }, { onSettled: () => setTold(undefined) })
  }

  /** Says whether the key meant something here. */
  function handleKey(key: string, columns: number): boolean {
    if (!held) return false
    const place = indexAfterKey(key, order.indexOf(held.id), { count: order.length, columns })
    if (place === undefined) return false
    hold(place)
    return true
  }

  return { order, heldId: held?.id, pickUp, hold, putDown, giveUp, handleKey }
}
