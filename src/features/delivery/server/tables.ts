import type { Generated } from 'kysely'
import type { Flag, Nullable } from '#platform/server/db/column-types.ts'

declare module '#platform/server/db/tables.ts' {
  interface Tables {
    delivery_settings: {
      owner_id: number
      signing_key: string
      presets: Nullable<string>
      indexes_pages: Generated<Flag>
    }
  }
}
