import { badArchive } from '#engines/archive/zip-checks.ts'
import { conflict } from '#platform/errors.ts'
import { forEachConcurrently } from '#shared/concurrency.ts'
import type { BackupServices } from '../backup-services.ts'
import type { BackupFolder } from '../folder/backup-folder.ts'
import { packTo, readPacked } from '../folder/document-file.ts'
import { Manifest } from '../folder/snapshots.ts'
import { checkDocument, loadKnown } from '../library/read-document.ts'
import type { FileRecord } from '../library/write-document.ts'
import { insertBackup } from '../store.ts'
import type { OpenedArchive } from './opened-archive.ts'

/** A disk lets one wait; meanwhile another is looked at. */
const filesAtOnce = 4
/** Far more often than the day after which the sweep comes: one large file may take longer on its way, or all be here already. */
const renewEveryMs = 10 * 60_000

type Services = Pick<BackupServices, 'db' | 'backupFolder' | 'log'>

/** All that an archive brought, looked at and not yet to be seen. */
export type ImportedArchive = AsyncDisposable & { publish(): Promise<PublishedArchive> }

/** `filesReadAt`: when the first of its files was read; the others were since then. */
type PublishedArchive = { manifest: Manifest; filesReadAt: number }

/**
 * Makes a backup of our own from an uploaded archive: nothing of the library is touched, and unless everything in the
 * archive is what it says, nothing is kept.
 */
export async function importArchive(services: Services, archive: OpenedArchive): Promise<ImportedArchive> {
  const filesReadAt = Date.now()
  const draft = await services.backupFolder.startSnapshot()
  // Whoever writes there next tells what is wrong with it.
  const renewal = setInterval(() => draft.keepYoung().catch(() => {}), renewEveryMs).unref()
  async function discard() {
    clearInterval(renewal)
    await draft[Symbol.asyncDispose]()
  }
  try {
    const { manifest, there } = await fillFrom(archive, services, draft)
    return {
      async publish() {
        await publish(services, { draft, manifest, there })
        return { manifest, filesReadAt }
      },
      [Symbol.asyncDispose]: discard,
    }
  } catch (error) {
    await discard()
    throw error
  }
}

type Draft = Awaited<ReturnType<BackupFolder['startSnapshot']>>

async function fillFrom(archive: OpenedArchive, { db, backupFolder }: Services, draft: Draft) {
  const given = readManifest(await archive.readManifest())
  const packed = await packTo(draft.documentPath, await archive.openDatabase(), backupFolder.throwExplained)
  if (packed.sha256 !== given.database.sha256) {
    throw badArchive('The ZIP file is damaged: its database.json is not the one that its manifest names.')
  }
  const files: FileRecord[] = []
  const records = readPacked(draft.documentPath, packed, await loadKnown(db))
  const counts = await checkDocument(records, (file) => files.push(file))
  if (counts.users !== given.users || counts.media !== given.media || counts.collections !== given.collections) {
    throw badArchive('The ZIP file is damaged: its manifest counts other rows than its database.json holds.')
  }
  const held = files.filter(({ isMissing }) => !isMissing)
  const there: FileRecord[] = []
  const taken: FileRecord[] = []
  await archive.eachFile(held, async (file, bytes) => {
    const isTaken = await takeFile(backupFolder, draft, { file, bytes })
    ;(isTaken ? taken : there).push(file)
  })

  const manifest: Manifest = {
    ...given,
    id: draft.id,
    type: 'manual',
    slot: null,
    note: 'Uploaded',
    // As they were found, whatever was said of them.
    files: files.length,
    missingFiles: files.length - held.length,
    fileBytes: bytesOf(held),
    newBytes: bytesOf(taken) + packed.bytes,
    database: packed,
    verifiedAt: new Date().toISOString(),
  }
  return { manifest, there }
}

function readManifest(text: Buffer) {
  try {
    return Manifest.parse(JSON.parse(text.toString('utf8')))
  } catch {
    throw badArchive('The ZIP file is not a backup of Albumen: its manifest.json cannot be understood.')
  }
}

const bytesOf = (files: FileRecord[]) => files.reduce((sum, { bytes }) => sum + bytes, 0)

type Taking = { file: FileRecord; bytes: AsyncIterable<Uint8Array> }

/** Says whether it was taken out of the archive: what the folder has is read instead. */
async function takeFile(folder: BackupFolder, draft: Draft, { file: { sha256, bytes: length }, bytes }: Taking) {
  if ((await folder.refreshBlob(sha256, length)) && (await folder.isBlobWhole(sha256))) return false
  if (await draft.stage(sha256, bytes, length)) return true
  throw badArchive(`The ZIP file is damaged: files/${sha256} holds other bytes than its name says.`)
}

type Publishing = { draft: Draft; manifest: Manifest; there: FileRecord[] }

async function publish({ db, backupFolder, log }: Services, { draft, manifest, there }: Publishing) {
  // It may have been on its way for days, and what no other backup needs is removed after one.
  await forEachConcurrently(there, filesAtOnce, async ({ sha256, bytes }) => {
    if (await backupFolder.refreshBlob(sha256, bytes)) return
    throw conflict('A file that the backup folder held was removed while the ZIP file came. Please upload it again.')
  })
  await draft.publish(manifest)
  await insertBackup(db, manifest)
  log.info({ backup: manifest.id, files: manifest.files - manifest.missingFiles }, 'backup uploaded')
}
