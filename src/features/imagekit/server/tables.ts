import type { Generated } from 'kysely'
import type { Flag, Nullable } from '#platform/server/db/column-types.ts'

declare module '#platform/server/db/tables.ts' {
  interface Tables {
    imagekit_objects: {
      folder: string
      kind: 'original' | 'public'
      blob: string
      media_id: number | null
      state: 'sending' | 'kept' | 'leaving'
      file_path: string
      file_id: Nullable<string>
      bytes: number
      is_only: Generated<Flag>
      created_at: number
    }
  }
}
