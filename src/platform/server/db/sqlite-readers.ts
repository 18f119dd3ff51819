import { Worker } from 'node:worker_threads'
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely'
import { codeCacheEnvironment } from '../compile-cache.ts'
import { sqliteDialectWith } from './sqlite-drivers.ts'

const readers = 2

type Answer = { rows: unknown[] } | { error: string }

/**
 * [Note: Slow reads run on worker threads]
 * A query of half a second on the server's thread blocks every other request for half a second. Searches, counts and
 * exports therefore run on worker threads, each with its own read-only connection; WAL lets them read while we write.
 */
export function createReaderDialect(path: string): Dialect {
  return sqliteDialectWith(() => new ReaderDriver(path))
}

class ReaderDriver implements Driver {
  readonly #path: string
  readonly #idle: ReaderThread[] = []
  readonly #all = new Set<ReaderThread>()
  readonly #waiting: ((thread: ReaderThread) => void)[] = []
  #isClosed = false

  constructor(path: string) {
    this.#path = path
  }

  async init() {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const idle = this.#idle.pop()
    if (idle?.isAlive) return idle
    if (idle) this.#all.delete(idle)
    if (this.#all.size < readers) return this.#startThread()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  async releaseConnection(connection: DatabaseConnection) {
    const thread = connection as ReaderThread
    if (!thread.isAlive) this.#all.delete(thread)
    const next = this.#waiting.shift()
    // After `destroy`, waiting callers receive a terminated thread, whose queries fail with an error.
    if (next) next(thread.isAlive || this.#isClosed ? thread : this.#startThread())
    else if (thread.isAlive) this.#idle.push(thread)
  }

  async beginTransaction() {
    throw new Error('Expected a read, received a transaction')
  }
  async commitTransaction() {}
  async rollbackTransaction() {}

  async destroy() {
    this.#isClosed = true
    await Promise.all([...this.#all].map((thread) => thread.end()))
  }

  #startThread() {
    const thread = new ReaderThread(this.#path)
    this.#all.add(thread)
    return thread
  }
}

/** Runs one query at a time on its thread; the driver replaces a thread that has ended. */
class ReaderThread implements DatabaseConnection {
  readonly #worker: Worker
  #pending?: { resolve(answer: Answer): void; reject(error: unknown): void }
  isAlive = true

  constructor(path: string) {
    this.#worker = new Worker(new URL('./sqlite-reader-thread.ts', import.meta.url), {
      workerData: { path },
      env: codeCacheEnvironment(),
    })
    this.#worker.unref()
    this.#worker.on('message', (answer: Answer | object) => {
      // Under `node --watch` Node also sends messages here, about the files that a thread has loaded.
      if ('rows' in answer || 'error' in answer) this.#pending?.resolve(answer)
    })
    this.#worker.on('error', (error) => this.#fail(error))
    this.#worker.on('exit', () => this.#fail(new Error('The thread that reads the database has ended')))
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    this.#pending = { resolve, reject }
    this.#worker.ref()
    try {
      if (this.isAlive) this.#worker.postMessage({ sql, parameters })
      else this.#fail(new Error('The thread that reads the database has ended'))
      const answer = await promise
      if ('error' in answer) throw new Error(answer.error)
      return { rows: answer.rows as R[] }
    } finally {
      this.#pending = undefined
      this.#worker.unref()
    }
  }

  // biome-ignore lint/correctness/useYield: the driver's type asks for a generator; nothing streams through a thread
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Expected a whole answer, received a request to stream')
  }

  async end() {
    await this.#worker.terminate()
  }

  #fail(error: unknown) {
    this.isAlive = false
    this.#pending?.reject(error)
  }
}
