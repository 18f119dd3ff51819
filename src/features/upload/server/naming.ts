import { splitExtension } from '#shared/filename.ts'
import { safeFilename } from '#shared/safe-filename.ts'
import type { UploadOptions } from '../contract.ts'

type Naming = Pick<UploadOptions, 'preserveOriginalName' | 'useCustomNaming' | 'uploadPrefix'>

/** The name under which an upload appears: `index` counts the accepted files of one selection. */
export function nameUpload(original: string, { mimeType, index }: { mimeType: string; index: number }, naming: Naming) {
  const name = safeFilename(original)
  if (naming.useCustomNaming) return customName(name, index, naming.uploadPrefix)
  if (mimeType === 'image/webp' && !naming.preserveOriginalName) return customName('image.webp', index, today())
  return name
}

/** Optional prefix, then the original name, then a sequence number. */
function customName(name: string, index: number, prefix = '') {
  const { stem, extension } = splitExtension(name)
  const separator = prefix && !/[-_ .]$/.test(prefix) ? '-' : ''
  return safeFilename(`${prefix}${separator}${stem}-${index}${extension}`)
}

const today = () => new Date().toISOString().slice(0, 10)
