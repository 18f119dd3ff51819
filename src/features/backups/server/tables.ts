import type { Generated } from 'kysely'
import type { Counter, Flag, Nullable } from '#platform/server/db/column-types.ts'

declare module '#platform/server/db/tables.ts' {
  interface Tables {
    backups: {
      id: string
      type: 'automatic' | 'manual'
      slot: string | null
      note: string | null
      created_at: number
      size: number
      new_bytes: number
      user_count: number
      media_count: number
      collection_count: number
      missing_count: Counter
      verified_at: number
      proven_at: Nullable<number>
    }
    restores: {
      id: Generated<number>
      running: string | null
      backup_id: string
      admin_id: number
      skips_safety: Flag
      state: 'running' | 'complete' | 'failed'
      step: string
      progress: number
      message: string
      counts: Nullable<string>
      started_at: number
      updated_at: number
    }
  }
}
