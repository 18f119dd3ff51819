import { writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { AppError, invalid, notFound, unavailable } from '#platform/errors.ts'
import { linkPreviewSize, renditionWidths } from '../../limits.ts'
import { findFocalPoint } from '../focal-point.ts'
import { derivedKeys, derivedNames } from '../media-addresses.ts'
import { makePlayableAgain } from '../video-work.ts'
import { draftKey, makePreview } from './conversion-preview.ts'
import { makeDerived, markUsed } from './make-derived.ts'
import { openRendition, type Rendition } from './renditions.ts'
import { type FileRow, type FileServices, openDerived, type ServedFile } from './served-file.ts'
import { openThumbnail } from './thumbnails.ts'
import { withStatedRights } from './with-words.ts'

const renditionFormats = ['webp', 'avif', 'jpeg'] as const

/** Query parameters of a file address. */
export const FileQuery = z.object({
  w: z.coerce
    .number()
    .refine(
      (width) => (renditionWidths as readonly number[]).includes(width),
      `must be one of ${renditionWidths.join(', ')}`,
    )
    .optional(),
  format: z.enum(renditionFormats, `must be one of ${renditionFormats.join(', ')}`).optional(),
  /** The quality of a conversion preview, which only the owner can request. */
  quality: z.coerce.number().int().min(1).max(100).optional(),
  download: z.enum(['0', '1']).optional(),
  /** The owner's download: 1: with the item's words in it; 0: as visitors get it; without this: as it was uploaded. */
  metadata: z.enum(['0', '1']).optional(),
  /** The owner wants the file that the address was made for, although it was replaced. */
  earlier: z.enum(['1']).optional(),
})
export type FileQuery = z.output<typeof FileQuery>

/** The width of a thumbnail in another format. */
const thumbnailWidth = 640

/** `caller`: whose turn it is while many sizes are made; without one, the program's own. */
type Wanted = { name: string; audience: 'owner' | 'anyone'; query: FileQuery; caller?: string }

export async function openFile(
  services: FileServices,
  media: FileRow,
  { name, audience, query, caller = 'program' }: Wanted,
): Promise<ServedFile> {
  const isResized = query.w !== undefined || query.format !== undefined
  const inTurn = (wanted: Rendition) =>
    openRendition(services, media, wanted, (work) => services.renditionQueue.run(caller, work))
  const rendition: MakeRendition = ({ w, format = 'webp' }) => inTurn({ width: w, format })
  if (name === derivedNames.thumbnail) {
    if (!isResized) return openThumbnail(services, media)
    // Always with a width: a visitor who may see thumbnails must not get a larger picture.
    return rendition({ ...query, w: query.w ?? thumbnailWidth })
  }
  if (name === derivedNames.linkPreview) {
    const focalPoint = await findFocalPoint(services.db, media.id)
    return inTurn({ ...linkPreviewSize, fit: 'cover', focalPoint, format: 'jpeg' })
  }
  if (name === derivedNames.sprite) return sprite(services, media)
  if (name === derivedNames.playable) return playable(services, media)
  if (name === derivedNames.preview) {
    // Only for the owner and without conversion, so that a derived name cannot be used to get the original.
    if (audience !== 'owner' || !query.quality) throw notFound('File')
    const { quality, format = 'webp' } = query
    return openDerived(services, await makePreview(services, media.blob, { quality, format }), `image/${format}`)
  }
  if (name === derivedNames.cutOut) {
    if (audience !== 'owner') throw notFound('File')
    return openDerived(services, draftKey(media.blob, 'no-background.webp'), 'image/webp')
  }
  if (isResized && media.type !== 'image') throw invalid('Only images can be resized.')
  if (audience === 'anyone') {
    const file = await (isResized ? rendition(query) : withoutMetadata(services, media, rendition))
    return withStatedRights(services, media.id, file)
  }
  if (isResized) return rendition(query)
  return {
    recipe: 'original',
    mimeType: media.mime_type,
    bytes: media.size,
    open: (range) => services.storage.open(media.blob, range),
  }
}

async function sprite(services: FileServices, media: FileRow): Promise<ServedFile> {
  if (!media.sprite) throw notFound('File')
  const key = derivedKeys.sprite(media.blob)
  await makeDerived(services, key, 'jpg', (path, outputPath) => services.videos.sprite({ path, outputPath }))
  return openDerived(services, key, 'image/jpeg')
}

/** Takes too long for a request: a missing rendition is queued, and the item shows its progress. */
async function playable(services: FileServices, media: FileRow): Promise<ServedFile> {
  const key = derivedKeys.playable(media.blob)
  const isMissing = !(await services.storage.derived.stat(key))
  if (isMissing && media.playback === 'rendition') await makePlayableAgain(services, media)
  return openDerived(services, key, 'video/mp4')
}

type MakeRendition = (query: FileQuery) => Promise<ServedFile>

/** Visitors receive files without EXIF, location and comments; the picture itself is not encoded again. */
async function withoutMetadata(services: FileServices, media: FileRow, rendition: MakeRendition): Promise<ServedFile> {
  const key = derivedKeys.clean(media.blob)
  const existing = await services.storage.derived.stat(key)
  if (existing) markUsed(services.storage, key, existing.modifiedAt)
  else if (!(await tryCleaning(services, media, key))) return reencoded(services, media, rendition)
  return openDerived(services, key, media.mime_type)
}

/** A file that cannot be cleaned is remembered, so that its next visitors do not cause the same work again. */
async function tryCleaning(services: FileServices, { blob, mime_type: mimeType }: FileRow, key: string) {
  const refusedKey = derivedKeys.uncleanable(blob)
  if (await services.storage.derived.stat(refusedKey)) return false
  try {
    await makeDerived(services, key, undefined, (inputPath, outputPath) =>
      services.cleaner.clean({ mimeType, inputPath, outputPath }),
    )
    return true
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'corrupt-file') throw error
    await makeDerived(services, refusedKey, undefined, (_inputPath, outputPath) => writeFile(outputPath, mimeType))
    return false
  }
}

/**
 * A file that plays but whose private metadata cannot be located is encoded again, so that visitors get only its pictures.
 */
async function reencoded(services: FileServices, media: FileRow, rendition: MakeRendition): Promise<ServedFile> {
  if (media.type === 'image') {
    return rendition({ format: 'webp' }).catch((error) => {
      if (!(error instanceof AppError) || error.code !== 'too-many-pixels') throw error
      return rendition({ w: 2560, format: 'webp' })
    })
  }
  const key = derivedKeys.playable(media.blob)
  const made = makeDerived(services, key, 'mp4', (path, outputPath) =>
    services.videos.makePlayable({ path, outputPath }),
  )
  await waitBriefly(made)
  return openDerived(services, key, 'video/mp4')
}

const maxWaitMs = 20_000

/** A short video is ready within the wait. A longer one continues in the background for a later request. */
async function waitBriefly(made: Promise<void>) {
  const isMade = await Promise.race([made.then(() => true), delay(maxWaitMs, false, { ref: false })])
  if (!isMade) throw unavailable('This video is being prepared for visitors. Please try again later.', 60)
}
