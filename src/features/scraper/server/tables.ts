declare module '#platform/server/db/tables.ts' {
  interface Tables {
    scrape_finds: { owner_id: number; address_key: string; seen_at: number }
    scraped_sources: { owner_id: number; address_key: string; media_id: number }
  }
}
