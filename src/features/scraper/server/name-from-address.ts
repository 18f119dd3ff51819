import { safeFilename, splitExtension } from '#shared/filenames.ts'

const fallback = 'image'
const pictureEnding = /^\.(jpe?g|png|gif|webp|mp4|mov|avi)$/i

/** The last part of the address; extensions of scripts and pages say nothing about the file. */
export function nameFromAddress(address: string): string {
  if (address.startsWith('data:')) return fallback
  const name = safeFilename(decode(new URL(address).pathname.split('/').findLast(Boolean) ?? fallback))
  const { stem, extension } = splitExtension(name)
  return extension && !pictureEnding.test(extension) ? stem : name
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // A stray percent sign; the name is readable without decoding.
    return part
  }
}
