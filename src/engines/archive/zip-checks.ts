import type { Entry } from 'yauzl'
import { AppError } from '#platform/errors.ts'
import { localHeaderBytes } from './zip-records.ts'

/** How many times larger a compressed entry may become; most JSON stays far below, a bomb far above. */
export const usualMaxRatio = 200

export type ZipLimits = {
  /** What an entry may be called; anything else refuses the whole archive. */
  allowedName: RegExp
  maxEntries: number
  /** Of all entries together, unpacked. */
  maxBytes: number
  maxRatio?: number
}

/** What is needed to read an entry again; a library's worth of these must fit in memory. */
export type ZipEntry = {
  name: string
  bytes: number
  compressedBytes: number
  isDeflated: boolean
  crc32: number
  /** Where its local header begins. */
  offset: number
}

export const badArchive = (sentence: string) => new AppError('bad-archive', 400, sentence)

/** One check after the other on each entry of the directory, before a byte is unpacked. */
export function createEntryCheck({ allowedName, maxBytes, maxRatio = usualMaxRatio }: ZipLimits) {
  const names = new Set<string>()
  let totalBytes = 0

  /** Nothing of what need not be looked at. */
  return function check(entry: Entry): ZipEntry | undefined {
    const name = entry.fileName
    if (isLeftByPacking(entry)) return undefined
    if (!allowedName.test(name)) throw foreignEntry(name)
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

/** Who unpacks an archive and packs it again gets folders, and what their system keeps beside files, into it. */
function isLeftByPacking({ fileName, uncompressedSize }: Entry) {
  const isFolder = fileName.endsWith('/') && uncompressedSize === 0
  return isFolder || /^__MACOSX\/|(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/.test(fileName)
}

/** Entries that share bytes let a small file unpack to a huge one without any suspicious ratio. */
export function refuseOverlaps(entries: ZipEntry[], fileBytes: number) {
  let free = 0
  for (const { name, offset, compressedBytes } of entries.toSorted((a, b) => a.offset - b.offset)) {
    if (offset < free) throw badArchive(`The ZIP file is refused: ${quoted(name)} shares its bytes with another file.`)
    // At least: name and further fields follow the header.
    free = offset + localHeaderBytes + compressedBytes
  }
  if (free > fileBytes) throw incomplete()
}

/** Upper half of the attributes: a Unix mode, or nothing. Bit 4 of the lower: a folder, for MS-DOS. */
function isRegularFile({ externalFileAttributes }: Entry) {
  const fileType = (externalFileAttributes >>> 16) & 0o170000
  const isDosFolder = (externalFileAttributes & 0x10) !== 0
  return (fileType === 0 || fileType === 0o100000) && !isDosFolder
}

export const foreignEntry = (name: string) =>
  badArchive(`The ZIP file contains something that does not belong in it: ${quoted(name)}.`)

export const unreasonable = (name: string) =>
  badArchive(`The ZIP file is refused: ${quoted(name)} would become unreasonably large.`)

export const damagedEntry = (name: string) => badArchive(`The ZIP file is damaged: ${quoted(name)} cannot be read.`)

export const incomplete = () =>
  badArchive('This is not a complete ZIP file. It may have been cut off while it was copied.')

/** By a program that put something into it, or a remark behind it; packed anew it is read by its directory. */
export const changedSince = () =>
  badArchive('The ZIP file was changed after it had been made. Please unpack it, pack it again and upload that one.')

/** A name from a stranger, short and without anything that a terminal or a page could take for more than text. */
function quoted(name: string) {
  const short = name.length > 80 ? `${name.slice(0, 80)}…` : name
  return `"${short.replace(/[\p{C}"]/gu, '?')}"`
}
