import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { channels, type Notifications } from './database.ts'
import { listenerName } from './dialect.ts'
import type { Tables } from './tables.ts'

const reconnectMs = 1000
/** A firewall between server and database may drop an idle connection without telling either end. */
const defaultHeartbeat = { everyMs: 30_000, withinMs: 10_000 }

/** LISTEN needs a permanent connection. After a reconnect listeners receive an empty payload, since they may have missed some. */
export async function listenToPostgres(
  url: string,
  db: Kysely<Tables>,
  heartbeat = defaultHeartbeat,
): Promise<Notifications & { receivesOwn(): Promise<boolean>; close(): Promise<void> }> {
  const emitter = new EventEmitter().setMaxListeners(0)
  let isClosed = false
  let connection = await connect()
  void keepConnected()

  async function connect() {
    const client = new pg.Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: 10_000 })
    const ended = new Promise<void>((resolve) => client.once('end', resolve))
    // An error is followed by `end`, which makes `keepConnected` reconnect.
    client.on('error', () => {})
    client.on('notification', ({ channel, payload }) => emitter.emit(channel, payload ?? ''))
    try {
      await client.connect()
      for (const channel of channels) await client.query(`LISTEN ${channel}`)
      // Set by a query, because a name in the URL would override one in the client's options.
      await client.query(`SET application_name = '${listenerName}'`)
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
    const close = () => client.end().catch(() => {})
    const heartbeatTimer = setInterval(() => {
      // While a query is pending, `end` closes the socket at once without waiting for the server.
      const timeout = setTimeout(close, heartbeat.withinMs).unref()
      void client
        .query('SELECT 1')
        .catch(() => {})
        .finally(() => clearTimeout(timeout))
    }, heartbeat.everyMs).unref()
    void ended.then(() => clearInterval(heartbeatTimer))
    return { client, ended, close }
  }

  async function keepConnected() {
    for (;;) {
      await connection.ended
      if (isClosed) return
      connection = await reconnect()
      if (isClosed) return connection.close()
      for (const channel of channels) emitter.emit(channel, '')
    }
  }

  async function reconnect(): Promise<typeof connection> {
    try {
      return await connect()
    } catch {
      await delay(reconnectMs, undefined, { ref: false })
      return isClosed ? connection : reconnect()
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
    /** False behind a pooler that shares this connection between clients. */
    async receivesOwn() {
      const token = randomUUID()
      let isReceived = false
      const unsubscribe = subscribe('hello', (payload) => {
        isReceived ||= payload === token
      })
      await publish('hello', token)
      // PostgreSQL delivers pending notifications before the result of the next query.
      await connection.client.query('SELECT 1')
      unsubscribe()
      return isReceived
    },
    async close() {
      isClosed = true
      await connection.close()
    },
  }
}
