import type { Readable } from 'node:stream'
import { canBeStreamed, createStreamReader, type StreamReader } from '#engines/archive/read-zip-stream.ts'
import { badArchive } from '#engines/archive/zip-checks.ts'
import { conflict } from '#platform/errors.ts'
import { forEachConcurrently } from '#shared/concurrency.ts'
import type { BackupServices } from '../backup-services.ts'
import type { BackupFolder } from '../folder/backup-folder.ts'
import { Manifest, packTo, readPacked } from '../folder/snapshots.ts'
import type { FileRecord } from '../library/library-document.ts'
import { checkDocument, loadKnown } from '../library/read-document.ts'
import { insertBackup } from '../store.ts'
import { type OpenedArchive, openArrivingArchive, openWholeArchive } from './open-archive.ts'
import { writeTemporaryFile } from './receive-upload.ts'

/** Files checked concurrently, since each waits for the disk. */
const filesAtOnce = 4
/** The sweep removes drafts untouched for a day, and one large file may take longer to arrive. */
const touchIntervalMs = 10 * 60_000

type Services = Pick<BackupServices, 'db' | 'backupFolder' | 'log'>

/** A validated archive that is not yet listed as a backup. */
type ImportedArchive = AsyncDisposable & { publish(): Promise<PublishedArchive> }

/** `filesReadAt` is the time before the first file was read. */
type PublishedArchive = { manifest: Manifest; filesReadAt: number }

/**
 * Makes a backup from an uploaded archive. The library is not touched, and nothing is kept unless everything in the archive
 * is valid.
 */
async function importArchive(services: Services, archive: OpenedArchive): Promise<ImportedArchive> {
  const filesReadAt = Date.now()
  const draft = await services.backupFolder.startSnapshot()
  // A failure is reported by the next write to the draft.
  const touching = setInterval(() => draft.touch().catch(() => {}), touchIntervalMs).unref()
  async function discard() {
    clearInterval(touching)
    await draft[Symbol.asyncDispose]()
  }
  try {
    const { manifest, existing } = await fillFrom(archive, services, draft)
    return {
      async publish() {
        await publish(services, { draft, manifest, existing })
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
    throw badArchive('The ZIP file is damaged: database.json does not match its manifest.')
  }
  const files: FileRecord[] = []
  const records = readPacked(draft.documentPath, packed, await loadKnown(db))
  const counts = await checkDocument(records, (file) => files.push(file))
  if (counts.users !== given.users || counts.media !== given.media || counts.collections !== given.collections) {
    throw badArchive('The ZIP file is damaged: the row counts in its manifest do not match database.json.')
  }
  const held = files.filter(({ isMissing }) => !isMissing)
  const existing: FileRecord[] = []
  const taken: FileRecord[] = []
  await archive.eachFile(held, async (file, bytes) => {
    const isTaken = await takeFile(backupFolder, draft, { file, bytes })
    ;(isTaken ? taken : existing).push(file)
  })

  const manifest: Manifest = {
    ...given,
    id: draft.id,
    type: 'manual',
    slot: null,
    note: 'Uploaded',
    // Counted from the files themselves and not taken from the uploaded manifest.
    files: files.length,
    missingFiles: files.length - held.length,
    fileBytes: bytesOf(held),
    newBytes: bytesOf(taken) + packed.bytes,
    database: packed,
    verifiedAt: new Date().toISOString(),
  }
  return { manifest, existing }
}

function readManifest(text: Buffer) {
  try {
    return Manifest.parse(JSON.parse(text.toString('utf8')))
  } catch {
    throw badArchive('The ZIP file is not an Albumen backup: manifest.json cannot be read.')
  }
}

const bytesOf = (files: FileRecord[]) => files.reduce((sum, { bytes }) => sum + bytes, 0)

type Taking = { file: FileRecord; bytes: AsyncIterable<Uint8Array> }

/** Returns false if the backup folder already has an intact copy, so that the archive's was not needed. */
async function takeFile(folder: BackupFolder, draft: Draft, { file: { sha256, bytes: length }, bytes }: Taking) {
  if ((await folder.refreshBlob(sha256, length)) && (await folder.isBlobWhole(sha256))) return false
  if (await draft.stage(sha256, bytes, length)) return true
  throw badArchive(`The ZIP file is damaged: files/${sha256} does not match its name.`)
}

type Publishing = { draft: Draft; manifest: Manifest; existing: FileRecord[] }

async function publish({ db, backupFolder, log }: Services, { draft, manifest, existing }: Publishing) {
  // The upload may have taken days, and the sweep removes unused blobs after one.
  await forEachConcurrently(existing, filesAtOnce, async ({ sha256, bytes }) => {
    if (await backupFolder.refreshBlob(sha256, bytes)) return
    throw conflict('A file in the backup folder was removed during the upload. Please upload the ZIP file again.')
  })
  await draft.publish(manifest)
  await insertBackup(db, manifest)
  log.info({ backup: manifest.id, files: manifest.files - manifest.missingFiles }, 'backup uploaded')
}

/** Imports the uploaded file. The caller publishes it after the rest of the request was checked. */
export async function receiveArchive(services: Services, file: Readable): Promise<ImportedArchive> {
  const pieces = file.iterator({ destroyOnReturn: false })
  try {
    return await takeIn(services, createStreamReader(pieces))
  } catch (error) {
    // Releases the stream, so that the caller can drain the rest.
    await pieces.return?.()
    throw error
  }
}

async function takeIn(services: Services, bytes: StreamReader): Promise<ImportedArchive> {
  if (await canBeStreamed(bytes)) return importArchive(services, openArrivingArchive(bytes))

  const { path, [Symbol.asyncDispose]: discard } = await writeTemporaryFile(services.backupFolder, bytes.rest())
  return {
    async publish() {
      await using archive = await openWholeArchive(path, services.backupFolder)
      await using imported = await importArchive(services, archive)
      return await imported.publish()
    },
    [Symbol.asyncDispose]: discard,
  }
}
