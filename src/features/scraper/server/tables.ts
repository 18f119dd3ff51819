import type { Generated } from 'kysely'
import type { Flag, Nullable } from '#platform/server/db/column-types.ts'

declare module '#platform/server/db/tables.ts' {
  interface Tables {
    scrape_finds: { owner_id: number; address_key: string; seen_at: number }
    scrape_runs: {
      id: Generated<number>
      owner_id: number
      kind: 'page' | 'urls'
      page_url: Nullable<string>
      status: 'running' | 'complete'
      total: number
      is_dismissed: Generated<Flag>
      created_at: number
      finished_at: Nullable<number>
    }
    scrape_items: {
      id: Generated<number>
      run_id: number
      address: string
      address_key: string
      alternatives: string
      name: string
      alt: string
      context: string
      status: 'waiting' | 'done' | 'failed' | 'stopped'
      message: Nullable<string>
      started_at: Nullable<number>
      finished_turn: Nullable<number>
    }
    scraped_sources: { owner_id: number; address_key: string; media_id: number }
  }
}
