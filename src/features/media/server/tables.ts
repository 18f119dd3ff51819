import type { Generated } from 'kysely'
import type { Counter, Flag, Nullable } from '#platform/server/db/column-types.ts'
import type { TagColor, VersionCause } from '../limits.ts'

export type BlobState = 'ok' | 'damaged' | 'missing'
export type Playback = 'as-is' | 'pending' | 'rendition' | 'failed'
type AiStatus = 'none' | 'waiting' | 'done' | 'failed'
export type FacetKind = 'tag' | 'camera' | 'place'
export type SlugKind = 'media' | 'collection'

declare module '#platform/server/db/tables.ts' {
  interface Tables {
    blobs: {
      sha256: string
      bytes: number
      created_at: number
      checked_at: Nullable<number>
      state: Generated<BlobState>
      /** Known if a backup has read the file. */
      crc32: Nullable<number>
    }
    /** Filled by triggers with blobs that may have become unused. */
    loose_blobs: { id: Generated<number>; sha256: string; is_released: Flag }
    /** An empty hash claims all blobs. */
    blob_claims: { holder: string; sha256: string; created_at: number }
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
      own_focal_x: Nullable<number>
      own_focal_y: Nullable<number>
      found_focal_x: Nullable<number>
      found_focal_y: Nullable<number>
      perceptual_hash: Nullable<string>
      exif: Nullable<string>
      taken_at: Nullable<string>
      title: Nullable<string>
      /** By BCP 47 tag, as JSON. */
      alt_texts: Nullable<string>
      is_decorative: Generated<Flag>
      creator: Nullable<string>
      credit: Nullable<string>
      licence: Nullable<string>
      source_url: Nullable<string>
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
      is_indexed: Nullable<Flag>
      view_count: Counter
      source: Nullable<string>
      derived_from: Nullable<number>
      is_sample: Generated<Flag>
      created_at: number
      updated_at: number
      /** `taken_at`, or else the date it was added, as ISO text. Set by triggers. */
      dated_at: Generated<string>
    }
    /** Kept by triggers, like the next two. */
    media_months: {
      owner_id: number
      kind: 'taken' | 'added'
      month: string
      image_count: number
      video_count: number
      favorite_count: number
      trashed_count: number
    }
    /** `key` is the folded value. */
    facets: {
      id: Generated<number>
      owner_id: number
      kind: FacetKind
      value: string
      key: Nullable<string>
      item_count: number
    }
    media_looks: { owner_id: number; perceptual_hash: string; item_count: number }
    /** The files of items that were replaced at least once, see [Note: Versions]. */
    media_versions: {
      id: Generated<number>
      media_id: number
      owner_id: number
      cause: VersionCause
      made_by: number
      made_at: number
      replaced_at: Nullable<number>
      is_expiring: Generated<Flag>
      filename: string
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
      own_focal_x: Nullable<number>
      own_focal_y: Nullable<number>
      perceptual_hash: Nullable<string>
      exif: Nullable<string>
      taken_at: Nullable<string>
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
    tag_settings: { owner_id: number; tag: string; color: Nullable<TagColor>; is_never: Generated<Flag> }
    /** `tag_a` sorts before `tag_b`. */
    different_tags: { owner_id: number; tag_a: string; tag_b: string }
    /** `media_a` is the lower id. */
    different_media: { media_a: number; media_b: number; owner_id: number; dismissal: string; created_at: number }
    slugs: { kind: SlugKind; slug: string; target_id: number; taken_at: number }
  }
}
