import { forEachConcurrently } from '#shared/concurrency.ts'
import type { BackupServices } from './backup-services.ts'
import { copyFromLibrary } from './copy-from-library.ts'
import { damagedBackup } from './folder/backup-faults.ts'
import type { FileRecord } from './library/write-document.ts'

const filesAtOnce = 4

/** Brings what a backup has lost from the library again; what is nowhere to be had is answered. */
export async function mendFiles(services: BackupServices, files: AsyncIterable<FileRecord>): Promise<FileRecord[]> {
  const { backupFolder, log } = services
  const absent: FileRecord[] = []
  for await (const file of files) if (!(await backupFolder.hasBlob(file.sha256, file.bytes))) absent.push(file)
  const lost: FileRecord[] = []
  await forEachConcurrently(absent, filesAtOnce, async (file) => {
    // Whatever the library's disk says: the others can still be saved.
    const state = await copyFromLibrary(services, file.sha256).catch((error: unknown) => {
      log.warn({ err: error, sha256: file.sha256 }, 'file of a backup could not be fetched from the library')
    })
    if (state !== 'ok') lost.push(file)
  })
  return lost
}

/** One record a line, as `writeDocument` writes them; read as bytes, since a piece may end within a letter. */
const heldFile = /^\{"sha256":"([0-9a-f]{64})","bytes":\d+(?=\})/gm

/** The rows of a backup as they are, but for the files that it does not hold any more. */
export async function* markMissing(document: AsyncIterable<Uint8Array>, lost: FileRecord[]) {
  const names = new Set(lost.map(({ sha256 }) => sha256))
  let rest = ''
  for await (const piece of document) {
    const text = rest + Buffer.from(piece).toString('latin1')
    const end = text.lastIndexOf('\n') + 1
    rest = text.slice(end)
    yield Buffer.from(text.slice(0, end).replaceAll(heldFile, mark), 'latin1')
  }
  yield Buffer.from(rest, 'latin1')
  if (names.size > 0) throw damagedBackup(`${lost.length} of its files are damaged or gone`)

  function mark(held: string, sha256: string) {
    return names.delete(sha256) ? `${held},"isMissing":true` : held
  }
}
