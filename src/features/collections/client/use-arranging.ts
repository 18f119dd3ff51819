import { useState } from 'react'
import type { Media } from '#features/media/contract.ts'
import { placeByKey } from '#ui/keys/place-by-key.ts'
import { useEscape } from '#ui/layers/use-escape.ts'
import { followerOf, isSameSet, moveTo } from './arrange-order.ts'
import { useArrangeCollection } from './mutations.ts'

/**
 * An item is picked up (by a press, Space or the beginning of a drag), moved, and put down. While it is held only the
 * page changes; putting it down tells the server.
 */
export function useArranging(collectionId: number, media: readonly Media[]) {
  const arrange = useArrangeCollection()
  const [own, setOwn] = useState<number[]>()
  const [held, setHeld] = useState<{ id: number; from: number[] }>()
  const ids = media.map(({ id }) => id)
  // What was added or removed elsewhere meanwhile counts more than an order of ours.
  const order = own && isSameSet(own, ids) ? own : ids

  const pickUp = (id: number) => setHeld({ id, from: order })
  const hold = (index: number) => held && setOwn(moveTo(order, held.id, index))
  const giveUp = () => {
    if (held) setOwn(held.from)
    setHeld(undefined)
  }
  // Escape lets go of the item before it closes the dialog.
  useEscape(held !== undefined, giveUp)

  function putDown(next = order) {
    if (!held) return
    setHeld(undefined)
    if (next.join() === held.from.join()) return
    setOwn(next)
    const beforeId = followerOf(next, held.id)
    arrange.mutate({ id: collectionId, mediaId: held.id, beforeId }, { onError: () => setOwn(held.from) })
  }

  /** Says whether the key meant something here. */
  function handleKey(key: string, columns: number): boolean {
    if (!held) return false
    const place = placeByKey(key, order.indexOf(held.id), { count: order.length, columns })
    if (place === undefined) return false
    hold(place)
    return true
  }

  return { order, heldId: held?.id, pickUp, hold, putDown, giveUp, handleKey }
}
