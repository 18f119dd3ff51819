import type { Row } from '#platform/server/db/tables.ts'
import type { Media, MediaDetails } from '../contract.ts'
import { focalPointOf, isFocalPointOwn } from './focal-point.ts'
import {
  deliveredPath,
  derivedNames,
  fileAddress,
  originalAddress,
  playbackAddress,
  publicAddress,
} from './media-addresses.ts'
import type { BlobState } from './tables.ts'
import { altTextsOf } from './words.ts'

export type MediaRow = Row<'media'>

/** The columns of an item in a list; other columns are read only for single items. */
export const listedColumns = [
  'id',
  'owner_id',
  'filename',
  'type',
  'mime_type',
  'blob',
  'size',
  'width',
  'height',
  'duration',
  'is_animated',
  'processing_error',
  'playback',
  'sprite',
  'thumbhash',
  'own_focal_x',
  'own_focal_y',
  'found_focal_x',
  'found_focal_y',
  'alt_texts',
  'is_decorative',
  'user_description',
  'ai_description',
  'ai_status',
  'is_favorite',
  'is_trashed',
  'trashed_at',
  'public_slug',
  'view_count',
  'created_at',
  'taken_at',
] as const
export type ListedRow = Pick<MediaRow, (typeof listedColumns)[number]>

export type TagRow = Pick<Row<'media_tags'>, 'tag' | 'source' | 'score'>
export type MembershipRow = { id: number; name: string; isPublic: boolean }

const isoOrNull = (time: number | null) => (time === null ? null : new Date(time).toISOString())

/** A row as its owner sees it. `origin` is the public address of the app. */
export function toMedia(
  row: ListedRow,
  parts: { tags: string[]; collections: MembershipRow[]; file: BlobState; origin: string },
): Media {
  const { tags, collections, file, origin } = parts
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
    takenAt: row.taken_at,
    viewCount: row.view_count,
    originalUrl: originalAddress(row),
    thumbnailUrl: fileAddress(row, derivedNames.thumbnail),
    playbackUrl: playbackAddress(row),
    playback: row.playback,
    sprite: row.sprite ? { ...JSON.parse(row.sprite), url: fileAddress(row, derivedNames.sprite) } : null,
    publicUrl: row.public_slug && publicAddress(origin, row.public_slug),
    publicUrlSlug: row.public_slug,
    fileUrl: row.public_slug && row.is_trashed === 0 ? origin + deliveredPath(row.public_slug) : null,
    altTexts: altTextsOf(row),
    isDecorative: row.is_decorative === 1,
    userDescription: row.user_description,
    aiDescription: row.ai_description,
    aiTags: tags,
    collections,
    isFavorite: row.is_favorite === 1,
    trashedAt: isoOrNull(row.trashed_at),
    processingError: row.processing_error,
    file,
    thumbhash: row.thumbhash,
    focalPoint: focalPointOf(row),
    aiStatus: row.ai_status,
  }
}

type Details = { tagOrigins: TagRow[]; websiteLanguages: string[]; smartCollections: MembershipRow[] }

export function toMediaDetails(row: MediaRow, media: Media, details: Details): MediaDetails {
  return {
    ...media,
    title: row.title,
    creator: row.creator,
    credit: row.credit,
    licence: row.licence,
    sourceUrl: row.source_url,
    updatedAt: new Date(row.updated_at).toISOString(),
    ...details,
    isIndexed: row.is_indexed === null ? null : row.is_indexed === 1,
    isFocalPointOwn: isFocalPointOwn(row),
    colours: row.colours ? JSON.parse(row.colours) : [],
    exif: row.exif ? JSON.parse(row.exif) : null,
    aiError: row.ai_error,
    aiProvider: row.ai_provider,
    aiModel: row.ai_model,
    aiAnalysedAt: isoOrNull(row.ai_analysed_at),
  }
}
