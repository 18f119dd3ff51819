import type { DatabaseSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Kysely,
  type QueryResult,
  type SqliteDatabase,
  SqliteDriver,
} from 'kysely'
import { CheckedKysely } from './change.ts'
import { runPreparedSynchronously } from './prepared.ts'
import { sqliteDialectWith } from './sqlite-drivers.ts'
import { asKyselyDatabase } from './sqlite-statements.ts'
import { createTurns } from './sqlite-turns.ts'
import type { Tables } from './tables.ts'

/** Ordinary transactions end before this; one that lasts longer may last much longer. */
const longMs = 50

/**
 * [Note: Reads bypass a long transaction]
 * One connection writes, and other queries wait for its transactions, usually a millisecond. A restore lasts many seconds:
 * then reads go to worker threads (`reads`) and see the last commit, as on PostgreSQL. Writes keep waiting.
 */
export function openWriter(connection: DatabaseSync, reads: Kysely<Tables>) {
  const database = asKyselyDatabase(connection)
  const lock = new TransactionLock()
  const { isOver, plugin } = createTurns()
  const dialect = sqliteDialectWith(() => new WriterDriver(database, lock, reads))
  const db = new CheckedKysely({ dialect, plugins: [plugin] })
  runPreparedSynchronously(db, (sql, values) =>
    lock.isFree && !isOver() ? database.prepare(sql).all(values) : undefined,
  )
  return db
}

class WriterDriver extends SqliteDriver {
  readonly #lock: TransactionLock
  readonly #reads: Kysely<Tables>
  readonly #idle: WriterConnection[] = []

  constructor(database: SqliteDatabase, lock: TransactionLock, reads: Kysely<Tables>) {
    super({ database })
    this.#lock = lock
    this.#reads = reads
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return this.#idle.pop() ?? new WriterConnection(await super.acquireConnection(), this.#lock, this.#reads)
  }

  override async beginTransaction(connection: DatabaseConnection) {
    await (connection as WriterConnection).startTransaction()
    await super.beginTransaction(connection)
  }

  /** The base class declares no parameter, but Kysely always passes the connection. */
  override async releaseConnection(connection?: DatabaseConnection) {
    const released = connection as WriterConnection
    released.endTransaction()
    this.#idle.push(released)
  }
}

/** One caller's use of the single connection: for a query, or locked for a transaction. */
class WriterConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection
  readonly #lock: TransactionLock
  readonly #reads: Kysely<Tables>
  #isHolding = false

  constructor(connection: DatabaseConnection, lock: TransactionLock, reads: Kysely<Tables>) {
    this.#connection = connection
    this.#lock = lock
    this.#reads = reads
  }

  async startTransaction() {
    await this.#lock.acquire()
    this.#isHolding = true
  }

  endTransaction() {
    if (this.#isHolding) this.#lock.release()
    this.#isHolding = false
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // Queries are synchronous here, so a free lock need not be taken for a single one.
    if (this.#isHolding || this.#lock.isFree) return this.#connection.executeQuery<R>(query)
    const isAcquired = await this.#lock.acquire({ giveUpIfLong: isRead(query) })
    if (!isAcquired) return this.#reads.executeQuery<R>(query as CompiledQuery<R>)
    try {
      return await this.#connection.executeQuery<R>(query)
    } finally {
      this.#lock.release()
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#connection.streamQuery<R>(query, chunkSize)
  }
}

const isRead = ({ query: { kind }, sql }: CompiledQuery) =>
  kind === 'SelectQueryNode' || (kind === 'RawNode' && /^\s*select\b/i.test(sql))

/** A lock with a queue: waiting callers get it in their order. */
class TransactionLock {
  readonly #waiting = new Set<() => void>()
  #acquiredAt = 0
  isFree = true

  /** Resolves to false if the caller wants to give up and the current transaction turns out to be long. */
  acquire({ giveUpIfLong = false } = {}): Promise<boolean> {
    if (this.isFree) {
      this.#take()
      return Promise.resolve(true)
    }
    return new Promise((resolve) => {
      const onFree = () => {
        clearTimeout(timer)
        this.#take()
        resolve(true)
      }
      const giveUp = () => {
        this.#waiting.delete(onFree)
        resolve(false)
      }
      const soonMs = Math.max(0, this.#acquiredAt + longMs - performance.now())
      const timer = giveUpIfLong ? setTimeout(giveUp, soonMs) : undefined
      this.#waiting.add(onFree)
    })
  }

  release() {
    const [next] = this.#waiting
    this.isFree = next === undefined
    if (!next) return
    this.#waiting.delete(next)
    next()
  }

  #take() {
    this.isFree = false
    this.#acquiredAt = performance.now()
  }
}
