import type { Kysely } from 'kysely'
import { claimAllBlobs, hasItem } from '#features/media/server/blob-store.ts'
import type { BlobState } from '#features/media/server/tables.ts'
import { conflict, notFound } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { forEachConcurrently } from '#shared/concurrency.ts'
import { version } from '#shared/version.ts'
import type { BackupServices } from './backup-services.ts'
import { type Manifest, manifestFormat, packTo, readPacked } from './folder/snapshots.ts'
import { type DocumentCounts, type FileRecord, loadSchemaVersion, writeDocument } from './library/library-document.ts'
import { checkDocument } from './library/read-document.ts'
import { type Checksum, copyCollectingChecksums, copyFromLibrary, saveChecksums } from './library-files.ts'
import { deleteBackupRow, insertBackup, listBackups } from './store.ts'

type BackupRequest = {
  type: 'automatic' | 'manual'
  slot?: string
  note?: string
  signal?: AbortSignal
  /** Runs in the transaction that adds the backup, for example to queue follow-up jobs. */
  onMade?: (transaction: Db) => Promise<void>
}

/** Files are uploaded during a long round, so rounds are repeated until one is this short. */
const shortRoundMs = 60_000
/** Files handled concurrently, since each waits for the disk. */
const filesAtOnce = 4
/** About ten megabytes of hashes; files beyond that are checked again. */
const maxRememberedFiles = 100_000

/**
 * Makes a backup, verifies it, and only then publishes it. Two processes may work on the same slot: the row is inserted
 * before the folder is renamed, in one transaction, so the second process finds the slot taken and discards its draft.
 */
export async function createBackup(services: BackupServices, request: BackupRequest): Promise<Manifest> {
  const { backupFolder, db, log } = services
  const startedAt = Date.now()
  const files = await collectFiles(services, request.signal)
  await using draft = await backupFolder.startSnapshot()
  const manifest = await fillSnapshot(services, { draft, files, request })
  await db.transaction().execute(async (transaction) => {
    await insertBackup(transaction, manifest)
    await request.onMade?.(transaction)
    await draft.publish(manifest)
  })
  const { media, newBytes, missingFiles } = manifest
  log.info({ backup: draft.id, media, newBytes, missingFiles, ms: Date.now() - startedAt }, 'backup created')
  return manifest
}

export type Draft = { id: string; documentPath: string }

type Files = ReturnType<typeof createFileCollector>

/** Copies the library's files. This comes before the draft, since it may take days and the sweep removes old drafts. */
export async function collectFiles(services: BackupServices, signal?: AbortSignal): Promise<Files> {
  await services.backupFolder.prepare()
  const files = createFileCollector(services, signal)
  for (let isLong = true; isLong; ) {
    const roundStartedAt = Date.now()
    files.startRound()
    await collectAll(services.db, files)
    isLong = Date.now() - roundStartedAt > shortRoundMs
  }
  return files
}

type Filling = { draft: Draft; files: Files; request: BackupRequest }

/** Writes the rows of one database snapshot and verifies everything that was written. */
export async function fillSnapshot(services: BackupServices, { draft, files, request }: Filling): Promise<Manifest> {
  const { db, openSnapshot, backupFolder } = services
  // An item of the snapshot may be deleted before its file is copied.
  await using _claim = await claimAllBlobs(db)
  const createdAt = new Date().toISOString()
  let counts: DocumentCounts | undefined
  const database = await packTo(
    draft.documentPath,
    (async function* () {
      await using snapshot = await openSnapshot()
      // Each file in the document is in the backup folder or marked as missing.
      counts = yield* writeDocument(snapshot.db, async (page) => {
        await files.copyAll(page)
        return page.map(files.describe)
      })
    })(),
    backupFolder.throwExplained,
  )
  const { files: fileCount, ...rows } = counts!
  const manifest: Manifest = {
    format: manifestFormat,
    version: 1,
    id: draft.id,
    type: request.type,
    slot: request.slot ?? null,
    note: request.note ?? null,
    createdAt,
    app: version,
    schema: await loadSchemaVersion(db),
    ...rows,
    files: fileCount,
    missingFiles: files.totals.missing,
    fileBytes: files.totals.bytes,
    newBytes: files.totals.newBytes + database.bytes,
    database,
    verifiedAt: createdAt,
  }
  await verifySnapshot(services, draft.documentPath, manifest).catch(async (error) => {
    // On an unmounted disk everything is missing, which does not mean damaged.
    await backupFolder.requirePresence()
    throw error
  })
  return { ...manifest, verifiedAt: new Date().toISOString() }
}

/** Copies and verifies files, and remembers those that the library has lost. */
function createFileCollector(services: BackupServices, signal?: AbortSignal) {
  const { backupFolder, log } = services
  const lost = new Set<string>()
  /** Lost files that were verified in the backup folder; doing it again would make every round a long one. */
  const verified = new Set<string>()
  /** Files checked in this round. */
  const checked = new Set<string>()
  /** Stored in batches, since each write costs a sync. */
  const checksums: Checksum[] = []
  const totals = { bytes: 0, newBytes: 0, missing: 0 }

  async function copyFile({ sha256, bytes, state: known = 'ok' }: FileRecord & { state?: BlobState }) {
    signal?.throwIfAborted()
    if (lost.has(sha256) || checked.has(sha256)) return
    // The library's file is lost; on the same disk the backup's is a hard link to it and equally damaged.
    if (known !== 'ok' && !verified.has(sha256)) {
      await backupFolder.setAsideUnlessWhole(sha256)
      verified.add(sha256)
    }
    const exists = await backupFolder.refreshBlob(sha256, bytes)
    const state = exists ? 'ok' : await copyCollectingChecksums(services, sha256, checksums)
    if (state === 'ok') {
      if (!exists) totals.newBytes += bytes
      if (checked.size < maxRememberedFiles) checked.add(sha256)
      return
    }
    lost.add(sha256)
    log.warn({ sha256, state }, 'file was not backed up')
  }

  return {
    totals,
    startRound: () => checked.clear(),
    async copyAll(files: (FileRecord & { state?: BlobState })[]) {
      await forEachConcurrently(files, filesAtOnce, copyFile)
      await saveChecksums(services.db, checksums.splice(0))
    },
    describe(file: FileRecord): FileRecord {
      if (lost.has(file.sha256)) {
        totals.missing++
        return { ...file, isMissing: true }
      }
      totals.bytes += file.bytes
      return file
    },
  }
}

async function collectAll(db: Kysely<Tables>, files: Files) {
  for (let last = ''; ; ) {
    const page = await db
      .selectFrom('blobs')
      .select(['sha256', 'bytes', 'state'])
      .where('sha256', '>', last)
      .where(hasItem('blobs.sha256'))
      .orderBy('sha256')
      .limit(500)
      .execute()
    await files.copyAll(page)
    if (page.length < 500) return
    last = page.at(-1)!.sha256
  }
}

/** Reads the backup as a restore would, and compares the counts. A file that is gone meanwhile is copied again. */
async function verifySnapshot(services: BackupServices, documentPath: string, manifest: Manifest) {
  const expected: FileRecord[] = []
  const records = readPacked(documentPath, manifest.database, { schema: manifest.schema })
  const counts = await checkDocument(records, (file) => void (file.isMissing || expected.push(file)))
  await forEachConcurrently(expected, filesAtOnce, async ({ sha256, bytes }) => {
    const exists = () => services.backupFolder.hasBlob(sha256, bytes)
    if (await exists()) return
    await copyFromLibrary(services, sha256)
    if (!(await exists())) throw new Error(`Expected file ${sha256} in the backup`)
  })
  const isRight =
    counts.users === manifest.users &&
    counts.media === manifest.media &&
    counts.collections === manifest.collections &&
    counts.files === manifest.files &&
    expected.length === manifest.files - manifest.missingFiles
  if (!isRight) throw new Error('Expected the backup to hold what was counted while it was written')
}

type Services = Pick<BackupServices, 'db' | 'backupFolder' | 'log'>

/** Deletes a backup, even if it is already gone. The next sweep removes files that no other backup needs. */
export async function removeBackup({ db, backupFolder, log }: Services, id: string) {
  await backupFolder.removeSnapshot(id)
  await deleteBackupRow(db, id)
  log.info({ backup: id }, 'backup deleted')
}

/** Runs alone, so that two concurrent requests cannot delete the last two automatic backups. */
export async function removeBackupUnlessLast({ db, backupFolder, log }: Services, id: string) {
  await listBackups(db, backupFolder)
  await db.transaction().execute(async (transaction) => {
    await dialectOf(transaction).lockExclusively(transaction, 'backups')
    const backups = await transaction.selectFrom('backups').select(['id', 'type']).execute()
    const backup = backups.find((candidate) => candidate.id === id)
    if (!backup) throw notFound('Backup')
    const automatic = backups.filter(({ type }) => type === 'automatic')
    if (backup.type === 'automatic' && automatic.length === 1) {
      throw conflict('This is the last automatic backup. At least one must be kept.')
    }
    await backupFolder.removeSnapshot(id)
    await deleteBackupRow(transaction, id)
  })
  log.info({ backup: id }, 'backup deleted')
}
