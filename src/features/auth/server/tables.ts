import type { Generated } from 'kysely'
import type { Counter, Flag } from '#platform/server/db/column-types.ts'

declare module '#platform/server/db/tables.ts' {
  interface Tables {
    users: {
      id: Generated<number>
      username: string
      username_key: string
      email: string
      email_key: string
      password_hash: string
      is_admin: Generated<Flag>
      preferences: Generated<string>
      storage_used: Counter
      media_count: Counter
      trashed_count: Counter
      collection_count: Counter
      image_count: Counter
      video_count: Counter
      favorite_count: Counter
      created_at: number
    }
    sessions: { token_hash: string; user_id: number; created_at: number; expires_at: number }
  }
}
