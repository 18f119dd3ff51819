import { Readable } from 'node:stream'
import { createZip, type ZipSource } from '#engines/archive/write-zip.ts'
import { openLocal } from '#engines/storage/local-files.ts'
import { notFound } from '#platform/errors.ts'
import type { BackupFolder } from './backup-folder.ts'
import { openPacked } from './document-file.ts'
import { scanDocument } from './library/document-scanner.ts'
import type { FileRecord } from './library/write-document.ts'
import type { Manifest } from './manifest.ts'

export const archiveName = ({ createdAt }: Pick<Manifest, 'createdAt'>) =>
  `albumen-backup-${createdAt.slice(0, 16).replace(/[T:]/g, '-')}.zip`

export async function openArchive(folder: BackupFolder, id: string) {
  const manifest = await folder.readManifest(id)
  if (!manifest) throw notFound('Backup')
  return { manifest, stream: zipOf(folder, manifest, folder.documentPath(id)) }
}

/** `manifest.json`, `database.json` and `files/<sha256>`, made while it is sent. */
export function zipOf(folder: BackupFolder, manifest: Manifest, documentPath: string): Readable {
  return createZip(entriesOf(folder, manifest, documentPath), { modifiedAt: new Date(manifest.createdAt) })
}

async function* entriesOf(folder: BackupFolder, manifest: Manifest, documentPath: string): AsyncGenerator<ZipSource> {
  const words = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  yield { name: 'manifest.json', bytes: words.length, open: async () => Readable.from([words]) }
  yield { name: 'database.json', bytes: manifest.database.bytes, open: async () => openPacked(documentPath) }
  for await (const { sha256, bytes } of listFiles(documentPath)) {
    yield { name: `files/${sha256}`, bytes, open: async () => (await openLocal(folder.blobPath(sha256))).stream }
  }
}

/** The files that a backup holds, from the beginning of its document. */
export async function* listFiles(documentPath: string): AsyncGenerator<FileRecord> {
  const stream = openPacked(documentPath)
  try {
    for await (const { table, value } of scanDocument(stream)) {
      if (table === null) continue
      if (table !== 'files') return
      const file = value as FileRecord
      if (!file.isMissing) yield file
    }
  } finally {
    stream.destroy()
  }
}
