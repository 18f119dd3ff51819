import type { Generated } from 'kysely'
import type { Flag, Nullable } from '#platform/server/db/column-types.ts'

declare module '#platform/server/db/tables.ts' {
  interface Tables {
    websites: {
      id: Generated<number>
      owner_id: number
      name: string
      name_key: string
      url: Nullable<string>
      languages: string
      tone: Nullable<string>
      audience: Nullable<string>
      keywords: Nullable<string>
      name_pattern: Nullable<string>
      branding: Nullable<string>
      presets: Nullable<string>
      creator: Nullable<string>
      licence: Nullable<string>
      states_rights: Generated<Flag>
      created_at: number
      updated_at: number
    }
  }
}
