import { safeTypedName, splitExtension } from '#shared/filenames.ts'

/** Optional prefix, then the original name, then a sequence number. */
export function customName(filename: string, sequence: number, prefix = '') {
  const { stem, extension } = splitExtension(filename)
  const separator = prefix && !/[-_ .]$/.test(prefix) ? '-' : ''
  return safeTypedName(`${prefix}${separator}${stem}${extension}`, `-${sequence}`)
}
