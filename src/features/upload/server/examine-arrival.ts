import type { ImageEngine } from '#engines/images/image-engine.ts'
import type { Storage } from '#engines/storage/storage.ts'
import type { VideoEngine } from '#engines/video/video-engine.ts'
import { isMediaMimeType, type MediaMimeType, mediaTypeOf } from '#features/media/mime-types.ts'
import { type Examined, examineImage, examineVideo } from '#features/media/server/examine-bytes.ts'
import { AppError, unsupportedType } from '#platform/errors.ts'
import { supportedFormats } from '../limits.ts'

type Engines = { images: ImageEngine; videos: VideoEngine; storage: Storage }

/** Trusts only the bytes: their signature first, then a real decode that also makes the thumbnail. */
export async function examineArrival(engines: Engines, arrival: { path: string; head: Uint8Array }): Promise<Examined> {
  const type = mediaTypeOf(await sniffType(arrival.head))
  try {
    return await (type === 'image' ? examineImage(engines, arrival.path) : examineVideo(engines, arrival.path))
  } catch (error) {
    const hasKilledDecoder = error instanceof AppError && (error.code === 'worker-died' || error.code === 'timeout')
    throw hasKilledDecoder ? unsupportedType('This file is damaged and could not be read.') : error
  }
}

/** Names that `file-type` uses for types that we know by another name, or do not tell apart. */
const aliases: Record<string, MediaMimeType> = {
  'image/apng': 'image/png',
  'video/vnd.avi': 'video/x-msvideo',
  'video/x-m4v': 'video/mp4',
  // Some phones mark their .mp4 files with this brand; the container is the same.
  'video/3gpp': 'video/mp4',
  'video/3gpp2': 'video/mp4',
}

/** Browsers send any MIME type they like; only the bytes are trusted. */
export async function sniffType(head: Uint8Array): Promise<MediaMimeType> {
  if (head.length === 0) throw unsupportedType('The file is empty.')
  const { fileTypeFromBuffer } = await import('file-type')
  const detected = await fileTypeFromBuffer(head).catch(() => undefined)
  const name = detected && (aliases[detected.mime] ?? detected.mime)
  if (!name || !isMediaMimeType(name)) throw notSupported()
  return name
}

export const notSupported = () => unsupportedType(`Unsupported file type. ${supportedFormats}`)
