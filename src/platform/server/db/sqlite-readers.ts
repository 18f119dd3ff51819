import { Worker } from 'node:worker_threads'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'

const readers = 2

type Answer = { rows: unknown[] } | { error: string }

/**
 * [Note: Slow reads have threads of their own]
 * A query of half a second on the server's thread stops every other request for half a second. Searches, counts and
 * exports therefore run on worker threads, each with its own read-only connection; WAL lets them read while we write.
 */
export function createReaderDialect(path: string): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new ReaderDriver(path),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

class ReaderDriver implements Driver {
  readonly #path: string
  readonly #idle: ReaderThread[] = []
  readonly #all: ReaderThread[] = []
  readonly #waiting: ((thread: ReaderThread) => void)[] = []

  constructor(path: string) {
    this.#path = path
  }

  async init() {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const idle = this.#idle.pop()
    if (idle) return idle
    if (this.#all.length < readers) {
      const thread = new ReaderThread(this.#path)
      this.#all.push(thread)
      return thread
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  async releaseConnection(connection: DatabaseConnection) {
    const thread = connection as ReaderThread
    const next = this.#waiting.shift()
    if (next) next(thread)
    else this.#idle.push(thread)
  }

  async beginTransaction() {
    throw new Error('Expected a read, received a transaction')
  }
  async commitTransaction() {}
  async rollbackTransaction() {}

  async destroy() {
    await Promise.all(this.#all.map((thread) => thread.end()))
  }
}

/** One thread, one question at a time. */
class ReaderThread implements DatabaseConnection {
  readonly #worker: Worker

  constructor(path: string) {
    this.#worker = new Worker(new URL('./sqlite-reader-thread.ts', import.meta.url), { workerData: { path } })
    this.#worker.unref()
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const worker = this.#worker
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    worker.ref()
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.postMessage({ sql, parameters })
    try {
      const answer = await promise
      if ('error' in answer) throw new Error(answer.error)
      return { rows: answer.rows as R[] }
    } finally {
      worker.off('message', resolve)
      worker.off('error', reject)
      worker.unref()
    }
  }

  // biome-ignore lint/correctness/useYield: the driver's type asks for a generator; nothing streams through a thread
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Expected a whole answer, received a request to stream')
  }

  async end() {
    await this.#worker.terminate()
  }
}
