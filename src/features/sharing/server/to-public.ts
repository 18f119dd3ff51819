import type { CollectionRow } from '#features/collections/server/store.ts'
import { findAltText } from '#features/media/alt-text.ts'
import { focalPointOf } from '#features/media/server/focal-point.ts'
import { withCounts } from '#features/media/server/listing/collection-items.ts'
import { derivedNames, fileAddress, originalAddress, playbackAddress } from '#features/media/server/media-addresses.ts'
import { altTextsOf } from '#features/media/server/words.ts'
import { brandingOf } from '#features/websites/server/branding.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { PublicCollection, PublicMedia, SharedImage } from '../contract.ts'
import type { PageWords } from './page-words.ts'
import { type CollectionView, tilesPerPage } from './pages/collection-page.ts'
import { renditionOf } from './pages/srcset.ts'
import {
  addTags,
  findBrandingPicture,
  findCover,
  findOwnerName,
  listVisibleMembers,
  type Member,
  type ShownRow,
} from './store.ts'

type Sharing = { origin: string; allowsDownload: boolean; words: PageWords }

export function toPublicMedia({ row, tags }: Member, { origin, allowsDownload, words }: Sharing): PublicMedia {
  const alt = findAltText(describedRow(row), words.languages)
  const playback = playbackAddress(row)
  return {
    id: row.id,
    filename: row.filename,
    title: row.title,
    type: row.type,
    mimeType: row.mime_type,
    size: row.size,
    width: row.width,
    height: row.height,
    duration: row.duration,
    isAnimated: row.is_animated === 1,
    focalPoint: focalPointOf(row),
    isTransparent: row.thumbhash !== null && hasAlpha(row.thumbhash),
    originalUrl: origin + (allowsDownload ? originalAddress(row) : shownInPlace(row)),
    thumbnailUrl: origin + fileAddress(row, derivedNames.thumbnail),
    playbackUrl: playback && origin + playback,
    userDescription: row.user_description,
    aiDescription: row.ai_description,
    aiTags: tags,
    caption: row.user_description || (row.ai_description_source === 'person' ? row.ai_description : null),
    alt: alt.text,
    altLanguage: alt.language,
    creator: row.creator ?? words.creator,
    credit: row.credit,
    licence: row.licence ?? words.licence,
    colours: row.colours ? JSON.parse(row.colours) : [],
    createdAt: new Date(row.created_at).toISOString(),
  }
}

const describedRow = (row: ShownRow) => ({
  filename: row.filename,
  altTexts: altTextsOf(row),
  isDecorative: row.is_decorative === 1,
  userDescription: row.user_description,
  aiDescription: row.ai_description,
})

/** The highest bit of a thumbhash's header says whether it has an alpha channel. */
const hasAlpha = (thumbhash: string) => (Buffer.from(thumbhash, 'base64')[2] ?? 0) >= 128

/** The rendition in place of an original that may not be downloaded. */
const shownInPlace = (row: ShownRow) =>
  row.type === 'image'
    ? `${originalAddress(row)}?w=2560&format=webp`
    : (playbackAddress(row) ?? fileAddress(row, derivedNames.thumbnail))

export const collectionPath = (slug: string) => `/public/collections/${slug}`

/** `filesAt` is the prefix of image URLs; other websites need absolute ones. */
type CollectionSharing = { origin: string; filesAt: string; ownerName: string | null }

export function toPublicCollection(
  row: CollectionRow,
  { origin, filesAt, ownerName }: CollectionSharing,
): PublicCollection {
  const slug = row.public_slug ?? ''
  const branding = brandingOf(row)
  const allowsDownload = row.allows_download === 1
  return {
    name: row.name,
    description: row.description,
    publicSlug: slug,
    publicUrl: origin + collectionPath(slug),
    mediaCount: row.media_count,
    createdAt: new Date(row.created_at).toISOString(),
    ownerName: branding.showOwnerInfo === false ? null : ownerName,
    allowsDownload,
    downloadUrl: allowsDownload ? `${origin}${collectionPath(slug)}/download` : null,
    customBranding: {
      ...branding,
      logoUrl: sized(branding.logoUrl, 640, filesAt),
      headerImage: sized(branding.headerImage, 1920, filesAt),
    },
  }
}

/** Library images are shown resized, and never as originals; URLs of other websites are not changed. */
const sized = (address: string | undefined, width: number, filesAt: string) =>
  address?.startsWith('/files/') ? filesAt + renditionOf({ originalUrl: address }, width, 'webp') : address

export function toSharedImage(media: PublicMedia): SharedImage {
  const { originalUrl, thumbnailUrl, filename, width, height, alt, altLanguage, mimeType, isAnimated, isTransparent } =
    media
  return {
    url: originalUrl,
    thumbnailUrl,
    width,
    height,
    alt,
    altLanguage,
    name: filename,
    mimeType,
    isAnimated,
    isTransparent,
  }
}

type Part = { origin: string; words: PageWords; page: number; limit?: number }

/** One page of a collection, as its visitors see it. */
export async function viewOf(db: Db, row: CollectionRow, { origin, words, page, limit = tilesPerPage }: Part) {
  const sharing = { origin: '', allowsDownload: row.allows_download === 1, words }
  const members = await listVisibleMembers(db, row, { limit, offset: (page - 1) * limit })
  const cover = await findCover(db, row)
  const [counted] = await withCounts(db, [row])
  const header = await findBrandingPicture(db, row.owner_id, brandingOf(row).headerImage)
  const view: CollectionView = {
    header: header && { width: header.width, height: header.height, focalPoint: focalPointOf(header) },
    collection: toPublicCollection(counted!, { origin, filesAt: '', ownerName: await findOwnerName(db, row.owner_id) }),
    media: members.map((member) => toPublicMedia(member, sharing)),
    cover: cover && toPublicMedia((await addTags(db, [cover]))[0]!, sharing),
    page,
    origin,
    path: collectionPath(row.public_slug ?? ''),
  }
  return view
}
