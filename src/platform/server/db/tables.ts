import type { ColumnType, Generated, Kysely, Selectable, Transaction } from 'kysely'

/** The columns as they stand in `migrations/`; times are milliseconds since 1970, flags are 0 or 1. */
export type Flag = 0 | 1
type Counter = ColumnType<number, number | undefined, number>

export type Tables = {
  settings: { name: string; value: string }
  users: {
    id: Generated<number>
    username: string
    username_key: string
    email: string
    email_key: string
    password_hash: string
    is_admin: ColumnType<Flag, Flag | undefined, Flag>
    storage_used: Counter
    media_count: Counter
    trashed_count: Counter
    collection_count: Counter
    created_at: number
  }
  sessions: { token_hash: string; user_id: number; created_at: number; expires_at: number }
  attempts: { name: string; count: number; resets_at: number }
  jobs: {
    id: Generated<number>
    kind: string
    key: string | null
    payload: string
    status: 'waiting' | 'active' | 'failed'
    run_at: number
    attempts: Counter
    leased_until: number | null
    lease: string | null
    error: string | null
    created_at: number
    updated_at: number
  }
  schedules: { kind: string; cron: string; next_run_at: number }
}

export type Row<T extends keyof Tables> = Selectable<Tables[T]>

/** A connection or a transaction on it: stores take either. */
export type Db = Kysely<Tables> | Transaction<Tables>
