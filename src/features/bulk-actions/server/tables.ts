declare module '#platform/server/db/tables.ts' {
  interface Tables {
    prepared_downloads: { id: string; owner_id: number; media_ids: string; created_at: number }
  }
}
