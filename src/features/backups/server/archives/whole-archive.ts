import { statfs } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { openZip, type ZipReader } from '#engines/archive/read-zip.ts'
import { unexpectedEntry, type ZipEntry } from '#engines/archive/zip-checks.ts'
import { forEachConcurrently } from '#shared/concurrency.ts'
import type { BackupFolder } from '../folder/backup-folder.ts'
import type { FileRecord } from '../library/write-document.ts'
import { nameOf } from './checked-blob.ts'
import {
  missingFile,
  type OpenedArchive,
  requireDatabase,
  requireLength,
  requireManifest,
  strangeFiles,
} from './opened-archive.ts'

/** All of it may lie in a folder, as it does when somebody has unpacked it and packed it again. */
const allowedName = /^(?:[^./\\][^/\\]*\/)?(?:manifest\.json|database\.json|files\/[0-9a-f]{64})$/
const maxEntries = 10_000_000
/** While one waits for the disk, another is read. */
const filesAtOnce = 4

/** One that lies on the disk, read by its directory. */
export async function openWholeArchive(path: string, folder: BackupFolder): Promise<OpenedArchive & AsyncDisposable> {
  const zip = await openZip(path, { allowedName, maxEntries, maxBytes: await freeBytes(folder) })
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

/** What the rows need is there, as long as they say, and nothing else. */
function requireSameFiles(files: FileRecord[], entries: Map<string, ZipEntry>) {
  for (const file of files) {
    const entry = entries.get(nameOf(file))
    if (!entry) throw missingFile(file)
    requireLength(file, entry.bytes)
  }
  if (entries.size !== files.length + 2) throw strangeFiles()
}

/** Opened when the first of them are wanted. */
async function* bytesOf(zip: ZipReader, entry: ZipEntry) {
  const source = await zip.read(entry)
  try {
    yield* source
  } finally {
    source.destroy()
  }
}
