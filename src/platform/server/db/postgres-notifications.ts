import { EventEmitter } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import type { Notifications } from './database.ts'
import type { Tables } from './tables.ts'

const channels = ['jobs', 'events', 'restore'] as const
const reconnectMs = 1000

/** LISTEN needs a connection that stays; when it breaks it is made anew, and listeners are told by an empty payload. */
export function createPostgresNotifications(
  url: string,
  db: Kysely<Tables>,
): Notifications & { close(): Promise<void> } {
  const emitter = new EventEmitter().setMaxListeners(0)
  let client: pg.Client | undefined
  let isClosed = false
  let isListening = false

  async function listen() {
    for (let isFirst = true; !isClosed; isFirst = false) {
      if (!isFirst) await delay(reconnectMs, undefined, { ref: false })
      const candidate = new pg.Client({ connectionString: url, keepAlive: true })
      const ended = new Promise<void>((resolve) => candidate.once('end', resolve))
      candidate.on('error', () => {})
      candidate.on('notification', ({ channel, payload }) => emitter.emit(channel, payload ?? ''))
      try {
        await candidate.connect()
        for (const channel of channels) await candidate.query(`LISTEN ${channel}`)
        client = candidate
        if (isClosed) break
        if (!isFirst) for (const channel of channels) emitter.emit(channel, '')
        await ended
      } catch {
        // The database is away; the loop tries again.
      } finally {
        await candidate.end().catch(() => {})
      }
    }
  }

  return {
    async publish(channel, payload, within = db) {
      await sql`SELECT pg_notify(${channel}, ${payload})`.execute(within)
    },
    subscribe(channel, listener) {
      emitter.on(channel, listener)
      if (!isListening) {
        isListening = true
        void listen()
      }
      return () => emitter.off(channel, listener)
    },
    async close() {
      isClosed = true
      await client?.end().catch(() => {})
    },
  }
}
