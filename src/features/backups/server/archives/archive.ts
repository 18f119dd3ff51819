import { Readable } from 'node:stream'
import { createZip, measureZip, type ZipSource } from '#engines/archive/write-zip.ts'
import { usualMaxRatio } from '#engines/archive/zip-checks.ts'
import { batchesOf } from '#shared/chunks.ts'
import type { BackupServices } from '../backup-services.ts'
import { type Checksum, loadChecksums, noteChecksums } from '../checksums.ts'
import type { Draft } from '../create-backup.ts'
import { damagedBackup } from '../folder/backup-faults.ts'
import { findDeflated, openPacked, packTo, unpackChecked } from '../folder/document-file.ts'
import type { Manifest } from '../folder/snapshots.ts'
import { scanDocument } from '../library/document-scanner.ts'
import { findFileFault } from '../library/read-document.ts'
import type { FileRecord } from '../library/write-document.ts'
import { markMissing, mendFiles } from '../lost-files.ts'
import { checkedBlob, nameOf } from './checked-blob.ts'

/** What is made for one download alone is discarded after it. */
export type Snapshot = { manifest: Manifest; documentPath: string; discard?: () => Promise<void> }

export type Archive = { manifest: Manifest; stream: Readable; bytes: number }

/** Whoever finds the file in years should know what it is. */
export function archiveName({ createdAt, missingFiles }: Pick<Manifest, 'createdAt' | 'missingFiles'>) {
  const lack = missingFiles > 0 ? `-${missingFiles}-files-missing` : ''
  return `albumen-backup-${createdAt.slice(0, 16).replace(/[T:]/g, '-')}${lack}.zip`
}

/** What the backup has lost since it was made, and the library has not either, is named in the archive as missing. */
export async function openArchive(services: BackupServices, id: string) {
  const { backupFolder } = services
  const manifest = await backupFolder.loadManifest(id)
  const documentPath = backupFolder.documentPath(id)
  const lost = await mendFiles(services, listFiles(documentPath))
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
 * `manifest.json`, `database.json` and `files/<sha256>`, made while it is sent; how long it will be is known before. The rows
 * are read through first: a fault of theirs is told instead of sent.
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
  const words = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  return { name: 'manifest.json', bytes: words.length, isDeflated: false, open: async () => Readable.from([words]) }
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
    // A database that is away ends no download: what it would say can be found out.
    const sums = await loadChecksums(db, names).catch(() => new Map<string, number>())
    const proven: Checksum[] = []
    const onProven = (checksum: Checksum) => void proven.push(checksum)
    for (const file of files) yield checkedBlob(services, file, { known: sums.get(file.sha256), onProven })
    await noteChecksums(db, proven).catch(() => {})
  }
}

/** Words that are repeated often enough would look like a bomb to our own reader; then they are sent as they are. */
const packsBelievably = (packedBytes: number, bytes: number) => bytes < (usualMaxRatio / 2) * packedBytes

/** The files that a backup holds. */
export async function* listFiles(documentPath: string): AsyncGenerator<FileRecord> {
  for await (const file of listNamedFiles(documentPath)) if (!file.isMissing) yield file
}

/** Also those that were lost when it was made, from the beginning of its document. */
export async function* listNamedFiles(documentPath: string): AsyncGenerator<FileRecord, undefined> {
  const stream = openPacked(documentPath)
  try {
    for await (const { table, value } of scanDocument(stream)) {
      if (table === null) continue
      if (table !== 'files') return
      if (findFileFault(value)) throw damagedBackup('its list of files cannot be understood')
      yield value as FileRecord
    }
  } finally {
    stream.destroy()
  }
}
