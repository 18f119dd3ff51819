import { Readable } from 'node:stream'
import type { ZipSource } from '#engines/archive/write-zip.ts'
import { AppError } from '#platform/errors.ts'

export const missingFilesName = 'Missing files.txt'

/**
 * A damaged file is skipped. One that is temporarily unavailable ends the download, as the ZIP would otherwise seem complete.
 */
export const isPermanentlyLost = (error: unknown) =>
  error instanceof AppError && (error.status < 500 || error.code === 'not-configured')

/** The last entry of a ZIP file, which lists the items that could not be included. */
export function missingFiles(name: string, filenames: readonly string[]): ZipSource {
  const text = Buffer.from(`The files of these items could not be read:\n${filenames.join('\n')}\n`)
  return { name, bytes: text.length, open: async () => Readable.from([text]) }
}
