import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Notifications } from '../db/database.ts'

/** A change to something a user can see; the page decides what to refetch. */
export type LiveEvent = { type: string; [field: string]: unknown }
type Delivered = { number: number; userId: number; event: LiveEvent }

export type Events = {
  /** Never fails, since the change it reports has already happened. */
  publish(userId: number, event: LiveEvent): Promise<void>
  /** Tells every open page to refetch everything. Never fails either. */
  resetAll(): Promise<void>
  /** Calls `deliver` for what follows `lastEventId`, then for each new event, until the returned function is called. */
  subscribe(
    userId: number,
    lastEventId: string | undefined,
    deliver: (id: string, event: LiveEvent) => void,
  ): () => void
  /** The id of the newest event; a subscriber that passes it receives only later events. */
  latestId(): string
  /** Calls the listener with the user whose library changed, in this or another process; null stands for all users. */
  watch(listener: (userId: number | null) => void): void
  close(): void
}

const historySize = 1000

/**
 * Events are hints, not data: a page that missed some is told to reset and refetches. So a short history per process is
 * enough, and an id from another process or an earlier start leads to a reset.
 */
export function createEvents(notifications: Notifications, log: Pick<FastifyBaseLogger, 'warn'>): Events {
  const processName = randomUUID().slice(0, 8)
  const history: Delivered[] = []
  const listeners = new Map<number, Set<(delivered: Delivered) => void>>()
  const watchers: ((userId: number | null) => void)[] = []
  let latest = 0

  const unsubscribe = notifications.subscribe('events', (payload) => {
    if (payload === '') return resetAllUsers()
    const { userId, event } = JSON.parse(payload) as { userId: number | null; event: LiveEvent }
    if (userId === null) resetAllUsers()
    else record(userId, event)
  })

  function record(userId: number, event: LiveEvent) {
    for (const watcher of watchers) watcher(userId)
    const delivered = { number: ++latest, userId, event }
    history.push(delivered)
    if (history.length > historySize) history.shift()
    for (const listener of listeners.get(userId) ?? []) listener(delivered)
  }

  /** After a restore, or when the connection between processes was lost and events may have been missed. */
  function resetAllUsers() {
    history.length = 0
    for (const watcher of watchers) watcher(null)
    // The skipped number stands for missed events: a page that reconnects with an earlier id gets a reset.
    latest++
    for (const userId of listeners.keys()) record(userId, { type: 'reset' })
  }

  /** Resolves to whether all processes, this one included, will receive the event. */
  async function broadcast(userId: number | null, event: LiveEvent) {
    try {
      await notifications.publish('events', JSON.stringify({ userId, event }))
      return true
    } catch (error) {
      log.warn({ err: error, event: event.type }, 'event was delivered in this process only')
      return false
    }
  }

  function missedSince(userId: number, lastEventId: string): Delivered[] {
    const [name, number] = lastEventId.split('-')
    const last = Number(number)
    const oldest = history[0]?.number ?? latest + 1
    const isRemembered = name === processName && last >= oldest - 1 && last <= latest
    if (!isRemembered) return [{ number: latest, userId, event: { type: 'reset' } }]
    return history.filter((delivered) => delivered.userId === userId && delivered.number > last)
  }

  const idOf = (number: number) => `${processName}-${number}`

  return {
    async publish(userId, event) {
      for (const watcher of watchers) watcher(userId)
      if (!(await broadcast(userId, event))) record(userId, event)
    },
    async resetAll() {
      for (const watcher of watchers) watcher(null)
      if (!(await broadcast(null, { type: 'reset' }))) resetAllUsers()
    },
    subscribe(userId, lastEventId, deliver) {
      const listener = ({ number, event }: Delivered) => deliver(idOf(number), event)
      if (lastEventId) missedSince(userId, lastEventId).forEach(listener)
      const own = listeners.get(userId) ?? new Set()
      listeners.set(userId, own.add(listener))
      return () => {
        own.delete(listener)
        if (own.size === 0 && listeners.get(userId) === own) listeners.delete(userId)
      }
    },
    latestId: () => idOf(latest),
    watch: (listener) => void watchers.push(listener),
    close: unsubscribe,
  }
}
