import type { Kysely } from 'kysely'
import type { Arrival } from '#engines/storage/storage.ts'
import { noRoom } from '#features/media/server/quota.ts'
import type { Tables } from '#platform/server/db/tables.ts'

const waiting = new WeakMap<Kysely<Tables>, Map<number, number>>()

/**
 * [Note: What is on its way takes room]
 * Bytes lie on the disk before they count in their owner's quota. Whoever sends much at the same moment, in any number of
 * requests, is held to the room that they have; or one person could fill the disk for everybody.
 */
export function countOnTheWay(db: Kysely<Tables>, ownerId: number, roomBytes: number) {
  const bytesOf = waiting.get(db) ?? new Map<number, number>()
  waiting.set(db, bytesOf)
  let taken = 0

  function change(bytes: number) {
    const all = (bytesOf.get(ownerId) ?? 0) + bytes
    taken += bytes
    if (all > 0) bytesOf.set(ownerId, all)
    else bytesOf.delete(ownerId)
    return all
  }

  const end = () => void change(-taken)
  return {
    add(bytes: number) {
      if (change(bytes) <= roomBytes) return
      // At once, not when its connection is closed: or those beside it that fit would be refused as well.
      end()
      throw noRoom()
    },
    end,
    /** Kept or discarded, they do not wait any more. */
    untilEndOf(arrival: Arrival): Arrival {
      const keep: Arrival['keep'] = (options) => {
        end()
        return arrival.keep(options)
      }
      const discard = () => {
        end()
        return arrival.discard()
      }
      return { ...arrival, keep, discard, [Symbol.asyncDispose]: discard }
    },
  }
}
