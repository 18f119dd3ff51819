import type { Row } from '#platform/server/db/tables.ts'
import type { Media } from '../contract.ts'
import { derivedNames, fileAddress, originalAddress, publicAddress } from './media-addresses.ts'

export type MediaRow = Row<'media'>
export type TagRow = Pick<Row<'media_tags'>, 'tag' | 'source' | 'score'>
export type MembershipRow = { id: number; name: string }

const isoOrNull = (time: number | null) => (time === null ? null : new Date(time).toISOString())

/** A row as its owner sees it. `origin` is the address under which the product is reached. */
export function toMedia(row: MediaRow, parts: { tags: TagRow[]; collections: MembershipRow[]; origin: string }): Media {
  const { tags, collections, origin } = parts
  return {
    id: row.id,
    filename: row.filename,
    mimeType: row.mime_type,
    type: row.type,
    size: row.size,
    width: row.width,
    height: row.height,
    duration: row.duration,
    isAnimated: row.is_animated === 1,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
    viewCount: row.view_count,
    originalUrl: originalAddress(row),
    thumbnailUrl: fileAddress(row, derivedNames.thumbnail),
    playbackUrl: playbackAddress(row),
    playback: row.playback,
    sprite: row.sprite ? { ...JSON.parse(row.sprite), url: fileAddress(row, derivedNames.sprite) } : null,
    publicUrl: row.public_slug && publicAddress(origin, row.public_slug),
    publicUrlSlug: row.public_slug,
    userDescription: row.user_description,
    aiDescription: row.ai_description,
    aiTags: tags.map(({ tag }) => tag),
    tagOrigins: tags,
    collections,
    isFavorite: row.is_favorite === 1,
    trashedAt: isoOrNull(row.trashed_at),
    status: row.status,
    processingError: row.processing_error,
    thumbhash: row.thumbhash,
    colours: row.colours ? JSON.parse(row.colours) : [],
    takenAt: row.taken_at,
    exif: row.exif ? JSON.parse(row.exif) : null,
    aiStatus: row.ai_status,
    aiError: row.ai_error,
    aiModel: row.ai_model,
    aiAnalysedAt: isoOrNull(row.ai_analysed_at),
  }
}

function playbackAddress(row: MediaRow) {
  if (row.type !== 'video') return null
  if (row.playback === 'rendition') return fileAddress(row, derivedNames.playable)
  // What could not be made playable may still play in this or that browser.
  return row.playback === 'pending' ? null : originalAddress(row)
}
