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
import { answerPreparedAtOnce } from './prepared.ts'
import { sqliteDialectWith } from './sqlite-drivers.ts'
import { asKyselyDatabase } from './sqlite-statements.ts'
import { createTurns } from './sqlite-turns.ts'
import type { Tables } from './tables.ts'

/** A transaction that has lasted for this long may last much longer; those of every day end before. */
const longMs = 50

/**
 * [Note: Reads go past a long transaction]
 * One connection writes. While a transaction holds it everyone else waits for the end, as a rule a millisecond; but a
 * restore holds it for many seconds. While a transaction is long, reads are therefore asked of `reads`, threads with
 * connections of their own, and see what was committed last, as they would on PostgreSQL. Changes keep waiting.
 */
export function openWriter(connection: DatabaseSync, reads: Kysely<Tables>) {
  const database = asKyselyDatabase(connection)
  const line = new WaitingLine()
  const { isOver, plugin } = createTurns()
  const dialect = sqliteDialectWith(() => new WriterDriver(database, line, reads))
  const db = new CheckedKysely({ dialect, plugins: [plugin] })
  answerPreparedAtOnce(db, (sql, values) => (line.isOpen && !isOver() ? database.prepare(sql).all(values) : undefined))
  return db
}

class WriterDriver extends SqliteDriver {
  readonly #line: WaitingLine
  readonly #reads: Kysely<Tables>
  readonly #idle: Visit[] = []

  constructor(database: SqliteDatabase, line: WaitingLine, reads: Kysely<Tables>) {
    super({ database })
    this.#line = line
    this.#reads = reads
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return this.#idle.pop() ?? new Visit(await super.acquireConnection(), this.#line, this.#reads)
  }

  override async beginTransaction(visit: DatabaseConnection) {
    await (visit as Visit).hold()
    await super.beginTransaction(visit)
  }

  /** Always called with a visit; the base class does not need one, and so does not declare it. */
  override async releaseConnection(visit?: DatabaseConnection) {
    const released = visit as Visit
    released.letGo()
    this.#idle.push(released)
  }
}

/** Somebody's use of the one connection: for a query, or held for a transaction. */
class Visit implements DatabaseConnection {
  readonly #connection: DatabaseConnection
  readonly #line: WaitingLine
  readonly #reads: Kysely<Tables>
  #isHolding = false

  constructor(connection: DatabaseConnection, line: WaitingLine, reads: Kysely<Tables>) {
    this.#connection = connection
    this.#line = line
    this.#reads = reads
  }

  async hold() {
    await this.#line.enter()
    this.#isHolding = true
  }

  letGo() {
    if (this.#isHolding) this.#line.leave()
    this.#isHolding = false
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // A query on this connection ends before anything else has its turn, so an open line need not be entered for it.
    if (this.#isHolding || this.#line.isOpen) return this.#connection.executeQuery<R>(query)
    const hasEntered = await this.#line.enter({ onlyIfSoon: isRead(query) })
    if (!hasEntered) return this.#reads.executeQuery<R>(query as CompiledQuery<R>)
    try {
      return await this.#connection.executeQuery<R>(query)
    } finally {
      this.#line.leave()
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#connection.streamQuery<R>(query, chunkSize)
  }
}

const isRead = ({ query: { kind }, sql }: CompiledQuery) =>
  kind === 'SelectQueryNode' || (kind === 'RawNode' && /^\s*select\b/i.test(sql))

/** One inside, the others in their order. */
class WaitingLine {
  readonly #waiting = new Set<() => void>()
  #enteredAt = 0
  isOpen = true

  /** False, for those who come only if it is soon, when whoever is inside stays long. */
  enter({ onlyIfSoon = false } = {}): Promise<boolean> {
    if (this.isOpen) {
      this.#letIn()
      return Promise.resolve(true)
    }
    return new Promise((resolve) => {
      const goIn = () => {
        clearTimeout(timer)
        this.#letIn()
        resolve(true)
      }
      const giveUp = () => {
        this.#waiting.delete(goIn)
        resolve(false)
      }
      const soonMs = Math.max(0, this.#enteredAt + longMs - performance.now())
      const timer = onlyIfSoon ? setTimeout(giveUp, soonMs) : undefined
      this.#waiting.add(goIn)
    })
  }

  leave() {
    const [next] = this.#waiting
    this.isOpen = next === undefined
    if (!next) return
    this.#waiting.delete(next)
    next()
  }

  #letIn() {
    this.isOpen = false
    this.#enteredAt = performance.now()
  }
}
