import { badArchive } from '#engines/archive/zip-checks.ts'
import type { FileRecord } from '../library/write-document.ts'

/** What an archive brings, in whichever way it is read: these three, one after the other. */
export type OpenedArchive = {
  readManifest(): Promise<Buffer>
  openDatabase(): Promise<AsyncIterable<Uint8Array>>
  /** Hands over each of these files, and throws unless the archive holds them all and nothing else. */
  eachFile(files: FileRecord[], take: TakeFile): Promise<void>
}

/** What is not read of the bytes is passed over. */
type TakeFile = (file: FileRecord, bytes: AsyncIterable<Uint8Array>) => Promise<void>

const maxManifestBytes = 64 * 1024

export function requireManifest<Entry>(entry: Entry | undefined, bytesOf: (entry: Entry) => number): Entry {
  if (!entry) throw badArchive('The ZIP file is not a backup of Albumen: it has no manifest.json.')
  if (bytesOf(entry) > maxManifestBytes) throw badArchive('The ZIP file is refused: its manifest.json is too long.')
  return entry
}

export function requireDatabase<Entry>(entry: Entry | undefined): Entry {
  if (!entry) throw badArchive('The ZIP file is not a backup of Albumen: it has no database.json.')
  return entry
}

export const missingFile = ({ sha256 }: FileRecord) =>
  badArchive(`The ZIP file is incomplete: files/${sha256} is missing.`)

export function requireLength({ sha256, bytes }: FileRecord, found: number) {
  if (found !== bytes) throw badArchive(`The ZIP file is damaged: files/${sha256} has the wrong size.`)
}

export const strangeFiles = () => badArchive('The ZIP file contains files that its rows do not know.')
