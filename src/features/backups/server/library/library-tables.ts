export type LibraryTable = {
  name: string
  /** The columns by which its rows are read in order. */
  key: string[]
  /** Columns that the database fills by itself when rows are written. */
  counted?: string[]
  /** Rows about bytes belong to the library while some item has those bytes. */
  isAboutFiles?: boolean
}

/**
 * [Note: What belongs to the library]
 * These tables are what a backup holds and what a restore replaces, each one after those that it points to. Every other
 * table is named in `leftOut` with its reason; a test fails for a table that is in neither list.
 */
export const libraryTables: LibraryTable[] = [
  {
    name: 'users',
    key: ['id'],
    counted: [
      'storage_used',
      'media_count',
      'trashed_count',
      'collection_count',
      'image_count',
      'video_count',
      'favorite_count',
    ],
  },
  { name: 'media', key: ['id'] },
  { name: 'media_tags', key: ['media_id', 'tag'] },
  { name: 'removed_tags', key: ['media_id', 'tag'] },
  { name: 'different_media', key: ['media_a', 'media_b'] },
  { name: 'collections', key: ['id'], counted: ['media_count'] },
  { name: 'collection_media', key: ['collection_id', 'media_id'] },
  { name: 'slugs', key: ['kind', 'slug'] },
  { name: 'share_views', key: ['kind', 'target_id', 'day'] },
  { name: 'scraped_sources', key: ['owner_id', 'address_key', 'media_id'] },
  { name: 'ai_results', key: ['sha256', 'provider', 'model', 'version'], isAboutFiles: true },
  { name: 'embeddings', key: ['sha256'], isAboutFiles: true },
  { name: 'meanings', key: ['media_id'] },
  // Their numbers are given anew: whoever keeps them in memory reads what has a higher number than before.
  { name: 'sketches', key: ['media_id', 'kind'], counted: ['id'] },
  { name: 'media_analyses', key: ['id'] },
  { name: 'ai_failures', key: ['media_id'] },
  { name: 'changes', key: ['id'] },
  { name: 'change_items', key: ['change_id', 'media_id'] },
]

export const leftOut: Record<string, string> = {
  blobs: 'where bytes rest here; a backup lists the files that it holds itself',
  loose_blobs: 'of these blobs; noted by the database itself',
  sessions: 'secrets, and of this installation',
  settings: 'of this installation',
  schema_version: 'of this installation',
  imagekit_objects: 'where this installation keeps bytes elsewhere; a backup holds the bytes themselves',
  attempts: 'who came to this installation, and how often in vain',
  share_visitors: 'gone within the hour',
  jobs: 'work, not data',
  schedules: 'work, not data',
  runs: 'work, not data',
  run_items: 'work, not data',
  request_outcomes: 'answers to requests of this installation',
  prepared_downloads: 'gone within the hour',
  ai_runs: 'work, not data',
  ai_run_items: 'work, not data',
  ai_claims: 'gone within the minute',
  ai_usage: 'what this installation has spent',
  scrape_finds: 'gone within the day',
  scrape_runs: 'work, not data',
  scrape_items: 'work, not data',
  backups: 'lie in the backup folder themselves',
  restores: 'a journal of this installation',
  search_documents: 'made again from the media',
}
