import type { Generated } from 'kysely'
import type { Counter, Flag, Nullable } from '#platform/server/db/column-types.ts'

declare module '#platform/server/db/tables.ts' {
  interface Tables {
    collections: {
      id: Generated<number>
      owner_id: number
      name: string
      description: Nullable<string>
      company: Nullable<string>
      /** The search of a smart collection; null for a collection whose items are put in and taken out by hand. */
      query: Nullable<string>
      website_id: Nullable<number>
      is_public: Generated<Flag>
      public_slug: Nullable<string>
      branding: Nullable<string>
      checked_css: Nullable<string>
      cover_media_id: Nullable<number>
      password_hash: Nullable<string>
      share_expires_at: Nullable<number>
      allows_download: Generated<Flag>
      view_count: Counter
      media_count: Counter
      created_at: number
      updated_at: number
    }
    collection_media: {
      collection_id: number
      media_id: number
      media_created_at: number
      position: number
      added_at: number
    }
  }
}
