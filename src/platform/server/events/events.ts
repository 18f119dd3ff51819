import { randomUUID } from 'node:crypto'
import type { Notifications } from '../db/database.ts'

/** Something happened to what a user sees; the page decides what to fetch again. */
export type LiveEvent = { type: string; [field: string]: unknown }
type Delivered = { id: string; userId: number; event: LiveEvent }

export type Events = {
  publish(userId: number, event: LiveEvent): Promise<void>
  /** Calls `deliver` for what follows `lastEventId`, then for each new event, until the returned function is called. */
  subscribe(
    userId: number,
    lastEventId: string | undefined,
    deliver: (id: string, event: LiveEvent) => void,
  ): () => void
  close(): void
}

const rememberedEvents = 1000

/**
 * Events are hints, not data: a page that missed some is told to reset and fetches what it shows. So a short memory
 * per process is enough, and an id of another process or of an earlier start simply leads to a reset.
 */
export function createEvents(notifications: Notifications): Events {
  const processName = randomUUID().slice(0, 8)
  const memory: Delivered[] = []
  const listeners = new Map<number, Set<(delivered: Delivered) => void>>()
  let sequence = 0

  const unsubscribe = notifications.subscribe('events', (payload) => {
    if (payload === '') return resetEveryone()
    const { userId, event } = JSON.parse(payload) as { userId: number; event: LiveEvent }
    remember({ id: `${processName}-${++sequence}`, userId, event })
  })

  function remember(delivered: Delivered) {
    memory.push(delivered)
    if (memory.length > rememberedEvents) memory.shift()
    for (const listener of listeners.get(delivered.userId) ?? []) listener(delivered)
  }

  /** The line between processes was cut for a while: nobody knows what was said. */
  function resetEveryone() {
    memory.length = 0
    for (const userId of listeners.keys())
      remember({ id: `${processName}-${++sequence}`, userId, event: { type: 'reset' } })
  }

  function missedSince(userId: number, lastEventId: string): Delivered[] {
    const [name, number] = lastEventId.split('-')
    const last = Number(number)
    const oldest = Number(memory[0]?.id.split('-')[1] ?? sequence + 1)
    if (name !== processName || !(last >= oldest - 1) || last > sequence) {
      return [{ id: `${processName}-${sequence}`, userId, event: { type: 'reset' } }]
    }
    return memory.filter(({ id, userId: owner }) => owner === userId && Number(id.split('-')[1]) > last)
  }

  return {
    async publish(userId, event) {
      await notifications.publish('events', JSON.stringify({ userId, event }))
    },
    subscribe(userId, lastEventId, deliver) {
      const listener = ({ id, event }: Delivered) => deliver(id, event)
      if (lastEventId) missedSince(userId, lastEventId).forEach(listener)
      const own = listeners.get(userId) ?? new Set()
      listeners.set(userId, own.add(listener))
      return () => {
        own.delete(listener)
        if (own.size === 0) listeners.delete(userId)
      }
    },
    close: unsubscribe,
  }
}
