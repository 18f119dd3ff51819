import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Notifications } from '../db/database.ts'

/** Something happened to what a user sees; the page decides what to fetch again. */
export type LiveEvent = { type: string; [field: string]: unknown }
type Delivered = { number: number; userId: number; event: LiveEvent }

export type Events = {
  /** Never fails: what it tells of has happened, and is not undone by a word that could not be said. */
  publish(userId: number, event: LiveEvent): Promise<void>
  /** Whatever anybody shows may be another by now. Never fails either. */
  resetAll(): Promise<void>
  /** Calls `deliver` for what follows `lastEventId`, then for each new event, until the returned function is called. */
  subscribe(
    userId: number,
    lastEventId: string | undefined,
    deliver: (id: string, event: LiveEvent) => void,
  ): () => void
  /** Stands for everything that was said until now: who connects anew with it hears what follows. */
  latestId(): string
  /** Hears whose library changed, as soon as it is published here or heard from another process; null: anybody's may have. */
  watch(listener: (userId: number | null) => void): void
  close(): void
}

const rememberedEvents = 1000

/**
 * Events are hints, not data: a page that missed some is told to reset and fetches what it shows. So a short memory
 * per process is enough, and an id of another process or of an earlier start simply leads to a reset.
 */
export function createEvents(notifications: Notifications, log: Pick<FastifyBaseLogger, 'warn'>): Events {
  const processName = randomUUID().slice(0, 8)
  const memory: Delivered[] = []
  const listeners = new Map<number, Set<(delivered: Delivered) => void>>()
  const watchers: ((userId: number | null) => void)[] = []
  let latest = 0

  const unsubscribe = notifications.subscribe('events', (payload) => {
    if (payload === '') return resetEveryone()
    const { userId, event } = JSON.parse(payload) as { userId: number | null; event: LiveEvent }
    if (userId === null) resetEveryone()
    else remember(userId, event)
  })

  function remember(userId: number, event: LiveEvent) {
    for (const watcher of watchers) watcher(userId)
    const delivered = { number: ++latest, userId, event }
    memory.push(delivered)
    if (memory.length > rememberedEvents) memory.shift()
    for (const listener of listeners.get(userId) ?? []) listener(delivered)
  }

  /** There is another library, or the line between processes was cut for a while and nobody knows what was said. */
  function resetEveryone() {
    memory.length = 0
    for (const watcher of watchers) watcher(null)
    // The number that is left out stands for what was missed: whoever is away now cannot connect past it unnoticed.
    latest++
    for (const userId of listeners.keys()) remember(userId, { type: 'reset' })
  }

  /** Says whether all processes hear it, this one too. */
  async function tell(userId: number | null, event: LiveEvent) {
    try {
      await notifications.publish('events', JSON.stringify({ userId, event }))
      return true
    } catch (error) {
      log.warn({ err: error, event: event.type }, 'event was told in this process only')
      return false
    }
  }

  function missedSince(userId: number, lastEventId: string): Delivered[] {
    const [name, number] = lastEventId.split('-')
    const last = Number(number)
    const oldest = memory[0]?.number ?? latest + 1
    const isRemembered = name === processName && last >= oldest - 1 && last <= latest
    if (!isRemembered) return [{ number: latest, userId, event: { type: 'reset' } }]
    return memory.filter((delivered) => delivered.userId === userId && delivered.number > last)
  }

  const idOf = (number: number) => `${processName}-${number}`

  return {
    async publish(userId, event) {
      for (const watcher of watchers) watcher(userId)
      if (!(await tell(userId, event))) remember(userId, event)
    },
    async resetAll() {
      for (const watcher of watchers) watcher(null)
      if (!(await tell(null, { type: 'reset' }))) resetEveryone()
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
