import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { channels, type Notifications } from './database.ts'
import { listenerName } from './dialect.ts'
import type { Tables } from './tables.ts'

const reconnectMs = 1000
/** What lies between us and the database may forget a line on which nothing passes, without a word to either end. */
const usualPulse = { everyMs: 30_000, withinMs: 10_000 }

/** LISTEN needs a connection that stays; when it breaks it is made anew, and listeners are told by an empty payload. */
export async function listenToPostgres(
  url: string,
  db: Kysely<Tables>,
  pulse = usualPulse,
): Promise<Notifications & { hearsItself(): Promise<boolean>; close(): Promise<void> }> {
  const emitter = new EventEmitter().setMaxListeners(0)
  let isClosed = false
  let line = await connect()
  void keepConnected()

  async function connect() {
    const client = new pg.Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: 10_000 })
    const ended = new Promise<void>((resolve) => client.once('end', resolve))
    // After a fault comes the end, and with it the next connection.
    client.on('error', () => {})
    client.on('notification', ({ channel, payload }) => emitter.emit(channel, payload ?? ''))
    try {
      await client.connect()
      for (const channel of channels) await client.query(`LISTEN ${channel}`)
      // Said here, since a name in the address would win over one in the settings.
      await client.query(`SET application_name = '${listenerName}'`)
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
    const close = () => client.end().catch(() => {})
    const feeling = setInterval(() => {
      // While a question waits for its answer, `end` does not wait for the server either: the connection is cut at once.
      const patience = setTimeout(close, pulse.withinMs).unref()
      void client
        .query('SELECT 1')
        .catch(() => {})
        .finally(() => clearTimeout(patience))
    }, pulse.everyMs).unref()
    void ended.then(() => clearInterval(feeling))
    return { client, ended, close }
  }

  async function keepConnected() {
    for (;;) {
      await line.ended
      if (isClosed) return
      line = await connectAgain()
      if (isClosed) return line.close()
      for (const channel of channels) emitter.emit(channel, '')
    }
  }

  async function connectAgain(): Promise<typeof line> {
    try {
      return await connect()
    } catch {
      // The database is away; nothing but waiting helps.
      await delay(reconnectMs, undefined, { ref: false })
      return isClosed ? line : connectAgain()
    }
  }

  const publish: Notifications['publish'] = async (channel, payload, within = db) => {
    await sql`SELECT pg_notify(${channel}, ${payload})`.execute(within)
  }

  const subscribe: Notifications['subscribe'] = (channel, listener) => {
    emitter.on(channel, listener)
    return () => emitter.off(channel, listener)
  }

  return {
    publish,
    subscribe,
    /** Not where something between us and the database lends this connection to others as well. */
    async hearsItself() {
      const word = randomUUID()
      let isHeard = false
      const unsubscribe = subscribe('hello', (payload) => {
        isHeard ||= payload === word
      })
      await publish('hello', word)
      // Whatever was to be heard comes before the answer.
      await line.client.query('SELECT 1')
      unsubscribe()
      return isHeard
    },
    async close() {
      isClosed = true
      await line.close()
    },
  }
}
