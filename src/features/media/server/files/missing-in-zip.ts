import { Readable } from 'node:stream'
import type { ZipSource } from '#engines/archive/write-zip.ts'
import { AppError } from '#platform/errors.ts'

export const missingFilesName = 'Missing files.txt'

/** One damaged file must not cost the others. One that is only out of reach ends the download, so that nobody believes it whole. */
export const isPermanentlyLost = (error: unknown) =>
  error instanceof AppError && (error.status < 500 || error.code === 'not-configured')

/** Stands last in a ZIP file, for those that are not in it. */
export function missingFiles(name: string, filenames: readonly string[]): ZipSource {
  const text = Buffer.from(`The files of these items could not be read:\n${filenames.join('\n')}\n`)
  return { name, bytes: text.length, open: async () => Readable.from([text]) }
}
