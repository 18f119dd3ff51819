import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { createZip, measureZip, type ZipSource } from '#engines/archive/write-zip.ts'
import { usualMaxRatio } from '#engines/archive/zip-checks.ts'
import { errorCode } from '#engines/storage/disk.ts'
import { openLocal } from '#engines/storage/local-files.ts'
import { largeChunkBytes, ReusedBufferStream, type ReusedChunks } from '#engines/storage/reused-buffer-stream.ts'
import { batchesOf } from '#shared/chunks.ts'
import type { BackupServices } from '../backup-services.ts'
import type { Draft } from '../backups.ts'
import { damagedBackup } from '../folder/backup-faults.ts'
import { findDeflated, listFiles, type Manifest, openPacked, packTo, unpackChecked } from '../folder/snapshots.ts'
import type { FileRecord } from '../library/library-document.ts'
import {
  type Checksum,
  forgetChecksum,
  loadChecksums,
  markMissing,
  repairFiles,
  saveChecksums,
} from '../library-files.ts'

/** `discard` removes a snapshot that was made for one download only. */
export type Snapshot = { manifest: Manifest; documentPath: string; discard?: () => Promise<void> }

export type Archive = { manifest: Manifest; stream: Readable; bytes: number }

/** A file name that still explains the file years later. */
export function archiveName({ createdAt, missingFiles }: Pick<Manifest, 'createdAt' | 'missingFiles'>) {
  const lack = missingFiles > 0 ? `-${missingFiles}-files-missing` : ''
  return `albumen-backup-${createdAt.slice(0, 16).replace(/[T:]/g, '-')}${lack}.zip`
}

/** Files that the backup has lost, and that the library does not have either, are listed in the archive as missing. */
export async function openArchive(services: BackupServices, id: string) {
  const { backupFolder } = services
  const manifest = await backupFolder.loadManifest(id)
  const documentPath = backupFolder.documentPath(id)
  const lost = await repairFiles(services, listFiles(documentPath))
  const snapshot: Snapshot =
    lost.length === 0
      ? { manifest, documentPath }
      : await makeDraft(services, async (draft) => {
          const rows = markMissing(unpackChecked(documentPath, manifest.database), lost)
          const database = await packTo(draft.documentPath, rows, backupFolder.throwExplained)
          return without(lost, { ...manifest, database })
        })
  return zipOf(services, snapshot)
}

function without(lost: FileRecord[], manifest: Manifest): Manifest {
  return {
    ...manifest,
    missingFiles: manifest.missingFiles + lost.length,
    fileBytes: manifest.fileBytes - lost.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

export async function makeDraft(
  { backupFolder }: Pick<BackupServices, 'backupFolder'>,
  fill: (draft: Draft) => Promise<Manifest>,
): Promise<Required<Snapshot>> {
  const draft = await backupFolder.startSnapshot()
  const discard = () => draft[Symbol.asyncDispose]()
  try {
    return { manifest: await fill(draft), documentPath: draft.documentPath, discard }
  } catch (error) {
    await discard()
    throw error
  }
}

/**
 * A ZIP of `manifest.json`, `database.json` and `files/<sha256>`, created while it is sent, with a known length. The rows
 * are verified first, so that a damaged backup is an error response and not a broken download.
 */
export async function zipOf(services: BackupServices, snapshot: Snapshot): Promise<Archive> {
  try {
    const { manifest, documentPath } = snapshot
    for await (const _piece of unpackChecked(documentPath, manifest.database));
    const rows = [manifestEntry(manifest), await rowsEntry(snapshot)]
    const bytes = await measureZip(namesOf(rows, documentPath))
    const stream = createZip(entriesOf(services, rows, documentPath), { modifiedAt: new Date(manifest.createdAt) })
    stream.once('close', () => void snapshot.discard?.())
    return { manifest, stream, bytes }
  } catch (error) {
    await snapshot.discard?.()
    throw error
  }
}

function manifestEntry(manifest: Manifest): ZipSource {
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  return { name: 'manifest.json', bytes: text.length, isDeflated: false, open: async () => Readable.from([text]) }
}

async function rowsEntry({ manifest, documentPath }: Snapshot): Promise<ZipSource> {
  const { bytes } = manifest.database
  const { open, ...packed } = await findDeflated(documentPath)
  const entry = { name: 'database.json', bytes }
  if (packsBelievably(packed.bytes, bytes)) return { ...entry, packed, open: async () => open() }
  return { ...entry, isDeflated: false, open: async () => openPacked(documentPath) }
}

async function* namesOf(rows: ZipSource[], documentPath: string) {
  yield* rows
  for await (const file of listFiles(documentPath)) yield { name: nameOf(file), bytes: file.bytes }
}

const filesPerQuery = 500

async function* entriesOf(
  services: BackupServices,
  rows: ZipSource[],
  documentPath: string,
): AsyncGenerator<ZipSource> {
  const { db } = services
  yield* rows
  for await (const files of batchesOf(listFiles(documentPath), filesPerQuery)) {
    const names = files.map(({ sha256 }) => sha256)
    // A download continues without the database: the checksums can be computed.
    const sums = await loadChecksums(db, names).catch(() => new Map<string, number>())
    const proven: Checksum[] = []
    const onProven = (checksum: Checksum) => void proven.push(checksum)
    for (const file of files) yield checkedBlob(services, file, { known: sums.get(file.sha256), onProven })
    await saveChecksums(db, proven).catch(() => {})
  }
}

/** Very repetitive rows would look like a ZIP bomb to our own reader, so they are sent uncompressed. */
const packsBelievably = (packedBytes: number, bytes: number) => bytes < (usualMaxRatio / 2) * packedBytes

type Services = Pick<BackupServices, 'db' | 'backupFolder' | 'log'>

/** `known` is the file's CRC-32; without it the file is hashed, and `onProven` gets its checksum. */
type BlobCheck = { known: number | undefined; onProven(checksum: Checksum): void }

/**
 * A file of a backup that throws while it is read unless its bytes match its hash. It may be damaged since the last drill,
 * and a ZIP with one damaged file would be refused as a whole when it is restored.
 */
function checkedBlob(services: Services, file: FileRecord, { known, onProven }: BlobCheck): ZipSource {
  const { db, backupFolder, log } = services
  const { sha256, bytes } = file
  return { name: nameOf(file), bytes, open, onRead }

  async function open() {
    const { stream, bytes: actual } = await openLocal(backupFolder.blobPath(sha256), undefined, largeChunkBytes)
    const pieces = stream instanceof ReusedBufferStream ? stream.reusedChunks() : stream
    return new ReusedBufferStream(checked(pieces, actual === bytes), () => stream.destroy())
  }

  async function* checked(pieces: AsyncIterable<Buffer>, hasRightLength: boolean): ReusedChunks {
    const hash = known === undefined && createHash('sha256')
    try {
      if (!hasRightLength) throw await fault()
      for await (const piece of pieces) {
        if (hash) hash.update(piece)
        yield piece
      }
    } catch (error) {
      // A file on a bad sector is lost too.
      throw errorCode(error) === 'EIO' ? await fault() : error
    }
    if (hash && hash.digest('hex') !== sha256) throw await fault()
  }

  async function onRead(crc32: number) {
    if (known === undefined) onProven({ sha256, crc32 })
    else if (crc32 !== known) throw await fault()
  }

  async function fault() {
    const isWhole = await backupFolder.setAsideUnlessWhole(sha256)
    log.warn({ sha256, isWhole }, 'backup file failed verification while writing a ZIP')
    // The stored checksum may be wrong, so the next download hashes the file.
    if (isWhole && known !== undefined) await forgetChecksum(db, sha256)
    return damagedBackup(
      'one of its files is damaged',
      'Please try again. The file will be copied from the library or skipped.',
    )
  }
}

export const nameOf = ({ sha256 }: FileRecord) => `files/${sha256}`
