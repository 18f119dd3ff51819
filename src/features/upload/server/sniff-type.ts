import { fileTypeFromBuffer } from 'file-type'
import { isMediaMimeType, type MediaMimeType } from '#features/media/mime-types.ts'
import { unsupportedType } from '#platform/errors.ts'
import { supportedFormats } from '../contract.ts'

export type AcceptedType = {
  type: 'image' | 'video'
  mimeType: MediaMimeType
  extension: string
  otherExtensions: string[]
}

const accepted: Record<MediaMimeType, AcceptedType> = {
  'image/jpeg': {
    type: 'image',
    mimeType: 'image/jpeg',
    extension: '.jpg',
    otherExtensions: ['.jpeg', '.jpe', '.jfif'],
  },
  'image/png': { type: 'image', mimeType: 'image/png', extension: '.png', otherExtensions: [] },
  'image/gif': { type: 'image', mimeType: 'image/gif', extension: '.gif', otherExtensions: [] },
  'image/webp': { type: 'image', mimeType: 'image/webp', extension: '.webp', otherExtensions: [] },
  'video/mp4': { type: 'video', mimeType: 'video/mp4', extension: '.mp4', otherExtensions: ['.m4v'] },
  'video/quicktime': { type: 'video', mimeType: 'video/quicktime', extension: '.mov', otherExtensions: ['.qt'] },
  'video/x-msvideo': { type: 'video', mimeType: 'video/x-msvideo', extension: '.avi', otherExtensions: [] },
}
/** What `file-type` calls by another name, or tells apart where we do not. */
const sameAs: Record<string, MediaMimeType> = {
  'image/apng': 'image/png',
  'video/vnd.avi': 'video/x-msvideo',
  'video/x-m4v': 'video/mp4',
  'video/avi': 'video/x-msvideo',
}

/** Browsers send any MIME type they like; only the bytes are believed. */
export async function sniffType(head: Uint8Array): Promise<AcceptedType> {
  if (head.length === 0) throw unsupportedType('The file is empty.')
  const found = await fileTypeFromBuffer(head).catch(() => undefined)
  const name = found && (sameAs[found.mime] ?? found.mime)
  if (!name || !isMediaMimeType(name)) {
    throw unsupportedType(`This is not an image or video that can be kept here. ${supportedFormats}`)
  }
  return accepted[name]
}

/** An extension that says something else entirely gets the true one behind it: `photo.exe` becomes `photo.exe.jpg`. */
export function fitExtension(filename: string, type: AcceptedType) {
  const known = Object.values(accepted).filter((candidate) => candidate.type === type.type)
  const fitting = known.flatMap(({ extension, otherExtensions }) => [extension, ...otherExtensions])
  return fitting.some((extension) => filename.toLowerCase().endsWith(extension)) ? filename : filename + type.extension
}
