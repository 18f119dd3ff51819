import type { Generated, Kysely, Selectable, Transaction } from 'kysely'
import type { Counter, Nullable } from './column-types.ts'

/** While a run is stopping, the items that were begun are finished. */
export type RunStatus = 'running' | 'stopping' | 'stopped' | 'ended' | 'failed'
export type RunItemState = 'waiting' | 'found' | 'done' | 'undone' | 'rejected' | 'failed'

/**
 * The platform's own tables; each feature adds its tables in its `server/tables.ts` by declaration merging. The columns match
 * `migrations/`, and times are milliseconds since 1970.
 */
export interface Tables {
  settings: { name: string; value: string }
  attempts: { name: string; count: number; resets_at: number }
  jobs: {
    id: Generated<number>
    kind: string
    key: string | null
    owner_id: Generated<number>
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
  runs: {
    id: Generated<number>
    owner_id: Nullable<number>
    kind: string
    title: Nullable<string>
    key: Nullable<string>
    options: string
    status: RunStatus
    error: Nullable<string>
    total: number
    turns: Counter
    undone_at: Nullable<number>
    dismissed_at: Nullable<number>
    created_at: number
    updated_at: number
  }
  run_items: {
    run_id: number
    position: number
    media_id: Nullable<number>
    input: Nullable<string>
    output: Nullable<string>
    state: RunItemState
    error: Nullable<string>
    begun_at: Nullable<number>
    turn: Nullable<number>
  }
  request_outcomes: { id: string; owner_id: number; outcome: string; created_at: number }
}

export type Row<T extends keyof Tables> = Selectable<Tables[T]>

/** A connection or a transaction on it: stores take either. */
export type Db = Kysely<Tables> | Transaction<Tables>
