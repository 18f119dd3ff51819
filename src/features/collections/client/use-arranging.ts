import { useState } from 'react'
import type { Media } from '#features/media/contract.ts'
import { indexAfterKey } from '#ui/keys/grid-keys.ts'
import { useEscape } from '#ui/layers/use-escape.ts'
import { followerOf, isSameSet, moveTo } from './arrange-order.ts'
import { useArrangeCollection } from './mutations.ts'

/**
 * An item is picked up (by a press, Space or the start of a drag), moved, and dropped. While it is held only the page
 * changes; dropping it sends the change to the server.
 */
export function useArranging(collectionId: number, media: readonly Media[]) {
  const arrange = useArrangeCollection()
  /** The order sent to the server, until the refetched one arrives. */
  const [told, setTold] = useState<number[]>()
  /** The held item, with the order once it has moved. */
  const [lastHeld, setHeld] = useState<{ id: number; moved?: number[] }>()
  const ids = media.map(({ id }) => id)
  // An item that was removed elsewhere meanwhile cannot be dropped.
  const held = lastHeld && ids.includes(lastHeld.id) ? lastHeld : undefined
  // Items added or removed elsewhere meanwhile override the local order.
  const known = told && isSameSet(told, ids) ? told : ids
  const order = held?.moved && isSameSet(held.moved, ids) ? held.moved : known

  const pickUp = (id: number) => setHeld({ id })
  const hold = (index: number) => held && setHeld({ id: held.id, moved: moveTo(order, held.id, index) })
  const giveUp = () => setHeld(undefined)
  // The first Escape drops the item, the second closes the dialog.
  useEscape(held !== undefined, giveUp)

  function putDown(next = order) {
    if (!held) return
    setHeld(undefined)
    if (next.join() === known.join()) return
    setTold(next)
    const beforeId = followerOf(next, held.id)
    // Of several pending requests only the last one calls this.
    arrange.mutate({ id: collectionId, mediaId: held.id, beforeId }, { onSettled: () => setTold(undefined) })
  }

  /** Returns whether the key was handled. */
  function handleKey(key: string, columns: number): boolean {
    if (!held) return false
    const place = indexAfterKey(key, order.indexOf(held.id), { count: order.length, columns })
    if (place === undefined) return false
    hold(place)
    return true
  }

  return { order, heldId: held?.id, pickUp, hold, putDown, giveUp, handleKey }
}
