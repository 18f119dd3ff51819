import type { Entry } from 'yauzl'
import { AppError } from '#platform/errors.ts'
import { localHeaderBytes } from './zip-records.ts'

/** How many times larger an entry may become when unpacked. JSON stays far below, a ZIP bomb is far above. */
export const usualMaxRatio = 200

export type ZipLimits = {
  /** An entry with any other name refuses the whole archive. */
  allowedName: RegExp
  maxEntries: number
  /** The limit for all unpacked entries together. */
  maxBytes: number
  maxRatio?: number
  /** The average that an entry with its header takes at least, for archives whose files are never tiny. */
  minEntryBytes?: number
}

/** All that is needed to read an entry later; a library's worth of these must fit in memory. */
export type ZipEntry = {
  name: string
  bytes: number
  compressedBytes: number
  isDeflated: boolean
  crc32: number
  /** Position of the entry's local header. */
  offset: number
}

export const badArchive = (sentence: string) => new AppError('bad-archive', 400, sentence)

type Directory = { entryCount: number; fileSize: number; directoryOffset: number }

/** An entry's record in the directory, without its name. */
const recordBytes = 46
/** So few entries take little memory, and reading them tells what exactly is wrong. */
const harmlessCount = 10_000

/**
 * Compares the count that the end of the directory states with the space that so many entries need. Reading a million entries
 * takes hundreds of megabytes of memory, which an archive of empty files must not cost.
 */
export function refuseImplausibleCount(
  { entryCount, fileSize, directoryOffset }: Directory,
  { maxEntries, minEntryBytes = localHeaderBytes }: ZipLimits,
) {
  if (entryCount > maxEntries) throw badArchive('The ZIP file contains more files than allowed.')
  if (entryCount <= harmlessCount) return
  const hasDirectory = fileSize - directoryOffset >= entryCount * recordBytes
  const hasFiles = directoryOffset >= entryCount * minEntryBytes
  if (!hasDirectory || !hasFiles) throw badArchive('The ZIP file lists more files than its size can hold.')
}

/** Checks each entry of the directory before any byte is unpacked. */
export function createEntryCheck({ allowedName, maxBytes, maxRatio = usualMaxRatio }: ZipLimits) {
  const names = new Set<string>()
  let totalBytes = 0

  /** Returns undefined for entries that are skipped. */
  return function check(entry: Entry): ZipEntry | undefined {
    const name = entry.fileName
    if (isPackingLeftover(entry)) return undefined
    if (!allowedName.test(name)) throw unexpectedEntry(name)
    if (!isRegularFile(entry))
      throw badArchive(`The ZIP file contains a link or folder where a file belongs: ${quoted(name)}.`)
    if (names.has(name)) throw badArchive(`The ZIP file contains ${quoted(name)} twice.`)
    names.add(name)
    if (entry.isEncrypted()) throw badArchive('The ZIP file is encrypted. Please upload one without a password.')
    if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
      throw badArchive(`The ZIP file uses a compression that is not supported, in ${quoted(name)}.`)
    }
    if (entry.uncompressedSize > maxRatio * Math.max(entry.compressedSize, 1)) {
      throw unreasonable(name)
    }
    totalBytes += entry.uncompressedSize
    if (totalBytes > maxBytes) throw badArchive('The ZIP file would become larger than allowed when unpacked.')
    return {
      name,
      bytes: entry.uncompressedSize,
      compressedBytes: entry.compressedSize,
      isDeflated: entry.compressionMethod === 8,
      crc32: entry.crc32,
      offset: entry.relativeOffsetOfLocalHeader,
    }
  }
}

/** Packing an archive again adds folders and the operating system's own files to it. */
function isPackingLeftover({ fileName, uncompressedSize }: Entry) {
  const isFolder = fileName.endsWith('/') && uncompressedSize === 0
  return isFolder || /^__MACOSX\/|(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/.test(fileName)
}

/** Entries that share bytes let a small file unpack to a huge one without a suspicious ratio. */
export function refuseOverlaps(entries: ZipEntry[], fileBytes: number) {
  let free = 0
  for (const { name, offset, compressedBytes } of entries.toSorted((a, b) => a.offset - b.offset)) {
    if (offset < free) throw badArchive(`The ZIP file is refused: ${quoted(name)} shares its bytes with another file.`)
    // A minimum: the name and extra fields follow the header.
    free = offset + localHeaderBytes + compressedBytes
  }
  if (free > fileBytes) throw incomplete()
}

/** The upper half of the attributes is a Unix mode or 0; bit 4 of the lower half marks a folder for MS-DOS. */
function isRegularFile({ externalFileAttributes }: Entry) {
  const fileType = (externalFileAttributes >>> 16) & 0o170000
  const isDosFolder = (externalFileAttributes & 0x10) !== 0
  return (fileType === 0 || fileType === 0o100000) && !isDosFolder
}

export const unexpectedEntry = (name: string) =>
  badArchive(`The ZIP file contains something that does not belong in it: ${quoted(name)}.`)

export const unreasonable = (name: string) =>
  badArchive(`The ZIP file is refused: ${quoted(name)} would become unreasonably large.`)

export const damagedEntry = (name: string) => badArchive(`The ZIP file is damaged: ${quoted(name)} cannot be read.`)

export const incomplete = () =>
  badArchive('This is not a complete ZIP file. It may have been cut off while it was copied.')

/** Another program added something or a comment; packed again, the archive is read by its directory. */
export const modifiedArchive = () =>
  badArchive('The ZIP file was changed after it had been made. Please unpack it, pack it again and upload that one.')

/** Shortens a name from an untrusted archive and replaces control characters, which could harm a terminal or a page. */
function quoted(name: string) {
  const short = name.length > 80 ? `${name.slice(0, 80)}…` : name
  return `"${short.replace(/[\p{C}"]/gu, '?')}"`
}
