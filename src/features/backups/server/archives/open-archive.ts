import { statfs } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { openZip, type ZipReader } from '#engines/archive/read-zip.ts'
import { type StreamReader, streamEntries, unpacked } from '#engines/archive/read-zip-stream.ts'
import { badArchive, unexpectedEntry, type ZipEntry } from '#engines/archive/zip-checks.ts'
import { forEachConcurrently } from '#shared/concurrency.ts'
import type { BackupFolder } from '../folder/backup-folder.ts'
import type { FileRecord } from '../library/library-document.ts'
import { nameOf } from './archive.ts'

/** An uploaded archive, from disk or while it arrives. Its three parts are read in this order. */
export type OpenedArchive = {
  readManifest(): Promise<Buffer>
  openDatabase(): Promise<AsyncIterable<Uint8Array>>
  /** Calls `take` for each of these files, and throws unless the archive contains exactly them. */
  eachFile(files: FileRecord[], take: TakeFile): Promise<void>
}

/** Bytes that are not read are skipped. */
type TakeFile = (file: FileRecord, bytes: AsyncIterable<Uint8Array>) => Promise<void>

const maxManifestBytes = 64 * 1024

function requireManifest<Entry>(entry: Entry | undefined, bytesOf: (entry: Entry) => number): Entry {
  if (!entry) throw badArchive('The ZIP file is not an Albumen backup: it has no manifest.json.')
  if (bytesOf(entry) > maxManifestBytes)
    throw badArchive('The ZIP file is not accepted: its manifest.json is too long.')
  return entry
}

function requireDatabase<Entry>(entry: Entry | undefined): Entry {
  if (!entry) throw badArchive('The ZIP file is not an Albumen backup: it has no database.json.')
  return entry
}

const missingFile = ({ sha256 }: FileRecord) => badArchive(`The ZIP file is incomplete: files/${sha256} is missing.`)

function requireLength({ sha256, bytes }: FileRecord, actual: number) {
  if (actual !== bytes) throw badArchive(`The ZIP file is damaged: files/${sha256} has the wrong size.`)
}

const unexpectedFiles = () => badArchive('The ZIP file contains files that its database does not list.')

/** The entries may be inside one folder, as after unpacking and packing the archive again. */
const allowedName = /^(?:[^./\\][^/\\]*\/)?(?:manifest\.json|database\.json|files\/[0-9a-f]{64})$/
const maxEntries = 10_000_000
/** The header, a name of 70 bytes, and the smallest picture. */
const minEntryBytes = 120
/** Files read concurrently, since each waits for the disk. */
const filesAtOnce = 4

/** Opens an archive on the disk by its central directory. */
export async function openWholeArchive(path: string, folder: BackupFolder): Promise<OpenedArchive & AsyncDisposable> {
  const zip = await openZip(path, { allowedName, maxEntries, minEntryBytes, maxBytes: await freeBytes(folder) })
  let entries: Map<string, ZipEntry>

  return {
    async readManifest() {
      entries = byOwnName(zip.entries)
      const entry = requireManifest(entries.get('manifest.json'), ({ bytes }) => bytes)
      return buffer(await zip.read(entry))
    },
    openDatabase: () => zip.read(requireDatabase(entries.get('database.json'))),
    async eachFile(files, take) {
      requireSameFiles(files, entries)
      await forEachConcurrently(files, filesAtOnce, (file) => take(file, bytesOf(zip, entries.get(nameOf(file))!)))
    },
    [Symbol.asyncDispose]: zip.close,
  }
}

async function freeBytes({ root }: BackupFolder) {
  const { bavail, bsize } = await statfs(root)
  return bavail * bsize
}

function byOwnName(entries: ZipEntry[]) {
  const manifest = entries.find(({ name }) => /^(?:[^/]+\/)?manifest\.json$/.test(name))?.name ?? ''
  const folder = manifest.slice(0, manifest.lastIndexOf('/') + 1)
  const named = new Map<string, ZipEntry>()
  for (const entry of entries) {
    if (!entry.name.startsWith(folder)) throw unexpectedEntry(entry.name)
    named.set(entry.name.slice(folder.length), entry)
  }
  return named
}

/** Requires exactly the files that the rows list, with their sizes. */
function requireSameFiles(files: FileRecord[], entries: Map<string, ZipEntry>) {
  for (const file of files) {
    const entry = entries.get(nameOf(file))
    if (!entry) throw missingFile(file)
    requireLength(file, entry.bytes)
  }
  if (entries.size !== files.length + 2) throw unexpectedFiles()
}

/** Opens the entry when the first bytes are read. */
async function* bytesOf(zip: ZipReader, entry: ZipEntry) {
  const source = await zip.read(entry)
  try {
    yield* source
  } finally {
    source.destroy()
  }
}

/** Reads an archive in our own layout while it is uploaded; see [Note: Streamed archives]. */
export function openArrivingArchive(bytes: StreamReader): OpenedArchive {
  // The other entries are verified by their hashes.
  const entries = streamEntries(bytes, (name) => name === 'manifest.json')

  async function nextIf(name: string) {
    const { value } = await entries.next()
    return value?.name === name ? value : undefined
  }

  return {
    async readManifest() {
      const { packed } = requireManifest(await nextIf('manifest.json'), ({ packedBytes }) => packedBytes)
      return buffer(packed)
    },
    async openDatabase() {
      return unpacked(requireDatabase(await nextIf('database.json')))
    },
    async eachFile(files, take) {
      const remaining = new Map(files.map((file) => [nameOf(file), file]))
      let [previous, current] = [Promise.resolve(), Promise.resolve()]
      try {
        for await (const { name, packed, packedBytes } of entries) {
          const file = remaining.get(name)
          if (!file) throw unexpectedFiles()
          remaining.delete(name)
          requireLength(file, packedBytes)
          previous = current
          const read = Promise.withResolvers<void>()
          current = take(file, notifyWhenRead(packed, read.resolve))
          // The disk finishes writing one file while the next one arrives.
          await Promise.race([read.promise, current])
          await previous
        }
        await current
      } finally {
        await Promise.allSettled([previous, current])
      }
      for (const file of remaining.values()) throw missingFile(file)
    },
  }
}

async function* notifyWhenRead(bytes: AsyncIterable<Buffer>, onRead: () => void) {
  yield* bytes
  onRead()
}
