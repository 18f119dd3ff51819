import { safeFilename } from '#shared/filenames.ts'
import type { UploadOptions } from '../contract.ts'
import { customName } from '../custom-name.ts'

type Naming = Pick<UploadOptions, 'preserveOriginalName' | 'useCustomNaming' | 'uploadPrefix'>

/** The name under which an upload appears: `index` counts the accepted files of one selection. */
export function nameUpload(original: string, { mimeType, index }: { mimeType: string; index: number }, naming: Naming) {
  const name = safeFilename(original)
  if (naming.useCustomNaming) return customName(name, index, naming.uploadPrefix)
  if (mimeType === 'image/webp' && !naming.preserveOriginalName) return customName('image.webp', index, today())
  return name
}

const today = () => new Date().toISOString().slice(0, 10)
