import type { ColumnType, Generated, Kysely, Selectable, Transaction } from 'kysely'

/** The columns as they stand in `migrations/`; times are milliseconds since 1970, flags are 0 or 1. */
export type Flag = 0 | 1
type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>
export type BlobState = 'ok' | 'damaged' | 'missing'
export type Playback = 'as-is' | 'pending' | 'rendition' | 'failed'
type AiStatus = 'none' | 'waiting' | 'done' | 'failed'
export type SlugKind = 'media' | 'collection'
type Counter = Generated<number>
/** While a run is stopping, the items that were begun are finished. */
export type RunStatus = 'running' | 'stopping' | 'stopped' | 'ended' | 'failed'
export type RunItemState = 'waiting' | 'done' | 'undone' | 'failed'

export type Tables = {
  settings: { name: string; value: string }
  users: {
    id: Generated<number>
    username: string
    username_key: string
    email: string
    email_key: string
    password_hash: string
    is_admin: Generated<Flag>
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
  attempts: { name: string; count: number; resets_at: number }
  jobs: {
    id: Generated<number>
    kind: string
    key: string | null
    owner_id: Generated<number>
    payload: string
    status: 'waiting' | 'active' | 'failed'
    run_at: number
    attempts: Counter
    leased_until: number | null
    lease: string | null
    error: string | null
    created_at: number
    updated_at: number
  }
  schedules: { kind: string; cron: string; next_run_at: number }
  blobs: {
    sha256: string
    bytes: number
    created_at: number
    checked_at: Nullable<number>
    state: Generated<BlobState>
    /** Known of what was read through for a backup. */
    crc32: Nullable<number>
  }
  /** Filled by triggers: what may have become unused. */
  loose_blobs: { id: Generated<number>; sha256: string }
  media: {
    id: Generated<number>
    owner_id: number
    filename: string
    name_key: string
    type: 'image' | 'video'
    mime_type: string
    blob: string
    size: number
    width: Nullable<number>
    height: Nullable<number>
    duration: Nullable<number>
    is_animated: Generated<Flag>
    processing_error: Nullable<string>
    playback: Generated<Playback>
    sprite: Nullable<string>
    thumbhash: Nullable<string>
    colours: Nullable<string>
    perceptual_hash: Nullable<string>
    exif: Nullable<string>
    taken_at: Nullable<string>
    user_description: Nullable<string>
    ai_description: Nullable<string>
    ai_description_source: Nullable<'ai' | 'person'>
    found_text: Nullable<string>
    ai_status: Generated<AiStatus>
    ai_error: Nullable<string>
    ai_provider: Nullable<string>
    ai_model: Nullable<string>
    ai_analysed_at: Nullable<number>
    is_favorite: Generated<Flag>
    is_trashed: Generated<Flag>
    trashed_at: Nullable<number>
    public_slug: Nullable<string>
    view_count: Counter
    source: Nullable<string>
    created_at: number
    updated_at: number
  }
  media_tags: {
    media_id: number
    tag: string
    owner_id: number
    position: number
    source: 'ai' | 'person'
    score: Nullable<number>
  }
  removed_tags: { media_id: number; tag: string }
  /** `media_a` is the lower id. */
  different_media: { media_a: number; media_b: number; owner_id: number; dismissal: string; created_at: number }
  slugs: { kind: SlugKind; slug: string; target_id: number; taken_at: number }
  collections: {
    id: Generated<number>
    owner_id: number
    name: string
    description: Nullable<string>
    company: Nullable<string>
    is_public: Generated<Flag>
    public_slug: Nullable<string>
    branding: Nullable<string>
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
  share_views: { kind: SlugKind; target_id: number; day: string; views: Counter }
  share_visitors: { kind: SlugKind; target_id: number; visitor: string; seen_until: number }
  runs: {
    id: Generated<number>
    owner_id: Nullable<number>
    kind: string
    title: Nullable<string>
    key: Nullable<string>
    options: string
    status: RunStatus
    error: Nullable<string>
    total: number
    turns: Counter
    undone_at: Nullable<number>
    created_at: number
    updated_at: number
  }
  run_items: {
    run_id: number
    position: number
    media_id: Nullable<number>
    input: Nullable<string>
    output: Nullable<string>
    state: RunItemState
    error: Nullable<string>
    begun_at: Nullable<number>
    turn: Nullable<number>
  }
  request_outcomes: { id: string; owner_id: number; outcome: string; created_at: number }
  prepared_downloads: { id: string; owner_id: number; media_ids: string; created_at: number }
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
  ai_results: {
    sha256: string
    provider: string
    model: string
    version: string
    result: string
    tokens: Counter
    took_ms: Counter
    created_at: number
  }
  embeddings: { sha256: string; vector: Uint8Array }
  meanings: { media_id: number; words_hash: string; vector: Uint8Array }
  sketches: {
    id: Generated<number>
    kind: 'picture' | 'words'
    media_id: number
    owner_id: number
    bits: Uint8Array
  }
  media_analyses: {
    id: Generated<number>
    media_id: number
    run_id: Nullable<string>
    provider: string
    model: string
    version: string
    replaced: string
    created_at: number
  }
  ai_failures: { media_id: number; code: string; status: number; message: string; failed_at: number }
  ai_usage: { month: string; owner_id: number; calls: number }
  ai_runs: {
    id: string
    owner_id: number
    kind: 'tag' | 'rename'
    status: 'running' | 'review' | 'applying' | 'done' | 'cancelled' | 'discarded' | 'reverted'
    is_review: Generated<Flag>
    total: number
    created_at: number
    updated_at: number
  }
  ai_run_items: {
    run_id: string
    media_id: number
    position: number
    state: 'waiting' | 'found' | 'done' | 'failed' | 'rejected'
    error: Nullable<string>
    before_value: Nullable<string>
    after_value: Nullable<string>
    proposal: Nullable<string>
    choice: Nullable<string>
  }
  ai_claims: { sha256: string; holder: string; held_until: number }
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

export type Row<T extends keyof Tables> = Selectable<Tables[T]>

/** A connection or a transaction on it: stores take either. */
export type Db = Kysely<Tables> | Transaction<Tables>
