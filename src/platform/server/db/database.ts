import type { Kysely } from 'kysely'
import type { MigrationTarget } from './migrate.ts'
import type { Db, Tables } from './tables.ts'

export type Database = {
  db: Kysely<Tables>
  /** For reads that may take more than a few milliseconds; on SQLite they run on threads of their own. */
  slowReads: Kysely<Tables>
  migrations: MigrationTarget
  notifications: Notifications
  /** A consistent read-only view: later writes do not show in it. For backups and exports. */
  openSnapshot(): Promise<Snapshot>
  /** Differs after every change. Undefined during a transaction, and on PostgreSQL, where it would cost a round trip. */
  readVersion(): string | undefined
  close(): Promise<void>
}

export type Snapshot = AsyncDisposable & { db: Db }

/** Notifications between processes that share a database; within one process when there is only one. */
export type Notifications = {
  /** In a transaction, the notification is sent when it commits. */
  publish(channel: Channel, payload: string, within?: Db): Promise<void>
  subscribe(channel: Channel, listener: (payload: string) => void): () => void
}

/** A process uses `hello` to check that it receives its own notifications; see `receivesOwn`. */
export const channels = ['jobs', 'events', 'restore', 'changes', 'hello'] as const
type Channel = (typeof channels)[number]
