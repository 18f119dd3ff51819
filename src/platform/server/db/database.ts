import type { Kysely } from 'kysely'
import type { MigrationTarget } from './migrate.ts'
import type { Db, Tables } from './tables.ts'

export type Database = {
  db: Kysely<Tables>
  /** For reads that may take more than a few milliseconds; on SQLite they run on threads of their own. */
  slowReads: Kysely<Tables>
  migrations: MigrationTarget
  notifications: Notifications
  /** A view of one moment: whatever is written meanwhile, its reads fit together. For backups and exports. */
  openSnapshot(): Promise<Snapshot>
  /** Another one after every change. Undefined in the middle of one, and where asking would cost a journey (PostgreSQL). */
  readVersion(): string | undefined
  close(): Promise<void>
}

export type Snapshot = AsyncDisposable & { db: Db }

/** Words between processes that share a database; within one process when there is only one. */
export type Notifications = {
  /** Within a transaction, the word goes out when it commits. */
  publish(channel: Channel, payload: string, within?: Db): Promise<void>
  subscribe(channel: Channel, listener: (payload: string) => void): () => void
}

/** `hello` is said by a process to itself: see `hearsItself`. */
export const channels = ['jobs', 'events', 'restore', 'changes', 'hello'] as const
type Channel = (typeof channels)[number]
