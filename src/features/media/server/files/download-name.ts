import { splitExtension } from '#shared/filenames.ts'
import { fitExtension, isMediaMimeType } from '../../mime-types.ts'
import type { FileRow } from './open-wanted.ts'

const extensions: Record<string, string> = {
  'image/webp': '.webp',
  'image/avif': '.avif',
  'image/jpeg': '.jpg',
  'video/mp4': '.mp4',
}

/**
 * What a file is called where it is saved. A person may call an item anything; without an extension no program would open
 * its file. A rendition keeps the name and takes the extension of what it is.
 */
export function downloadName({ filename, mime_type }: Pick<FileRow, 'filename' | 'mime_type'>, mimeType = mime_type) {
  const name = isMediaMimeType(mime_type) ? fitExtension(filename, mime_type) : filename
  return mimeType === mime_type ? name : splitExtension(name).stem + (extensions[mimeType] ?? '')
}
