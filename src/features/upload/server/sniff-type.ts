import { isMediaMimeType, type MediaMimeType } from '#features/media/mime-types.ts'
import { unsupportedType } from '#platform/errors.ts'
import { supportedFormats } from '../contract.ts'

/** What `file-type` calls by another name, or tells apart where we do not. */
const sameAs: Record<string, MediaMimeType> = {
  'image/apng': 'image/png',
  'video/vnd.avi': 'video/x-msvideo',
  'video/x-m4v': 'video/mp4',
  // The same container under the mark that some phones put on their .mp4 files.
  'video/3gpp': 'video/mp4',
  'video/3gpp2': 'video/mp4',
}

/** Browsers send any MIME type they like; only the bytes are believed. */
export async function sniffType(head: Uint8Array): Promise<MediaMimeType> {
  if (head.length === 0) throw unsupportedType('The file is empty.')
  const { fileTypeFromBuffer } = await import('file-type')
  const found = await fileTypeFromBuffer(head).catch(() => undefined)
  const name = found && (sameAs[found.mime] ?? found.mime)
  if (!name || !isMediaMimeType(name)) {
    throw unsupportedType(`This is not an image or video that can be kept here. ${supportedFormats}`)
  }
  return name
}
