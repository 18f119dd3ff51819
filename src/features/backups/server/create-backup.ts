import type { Kysely } from 'kysely'
import type { BlobState } from '#features/media/server/tables.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { forEachConcurrently } from '#shared/concurrency.ts'
import { version } from '#shared/version.ts'
import type { BackupServices } from './backup-services.ts'
import { type Checksum, noteChecksums } from './checksums.ts'
import { copyFromLibrary, copyNoting } from './copy-from-library.ts'
import { packTo, readPacked } from './folder/document-file.ts'
import { type Manifest, manifestFormat } from './folder/snapshots.ts'
import { checkDocument } from './library/read-document.ts'
import { type DocumentCounts, type FileRecord, loadSchemaVersion, writeDocument } from './library/write-document.ts'
import { insertBackup } from './store.ts'

type BackupRequest = {
  type: 'automatic' | 'manual'
  slot?: string
  note?: string
  signal?: AbortSignal
  /** What it makes necessary: exists exactly when the backup does. */
  onMade?: (transaction: Db) => Promise<void>
}

/** A first round may take long; meanwhile files come. So rounds follow until one is short enough. */
const shortRoundMs = 60_000
/** A disk lets one wait; meanwhile another is looked at. */
const filesAtOnce = 4
/** In about ten megabytes; further ones are looked at once more. */
const mostRemembered = 100_000

/**
 * Makes a backup, reads it again, and only then lets it be seen. Two processes may be at the same turn: the row is written
 * before the folder gets its place, within one transaction, so the second one finds its turn taken and its draft goes.
 */
export async function createBackup(services: BackupServices, request: BackupRequest): Promise<Manifest> {
  const { backupFolder, db, log } = services
  const begunAt = Date.now()
  const files = await collectFiles(services, request.signal)
  await using draft = await backupFolder.startSnapshot()
  const manifest = await fillSnapshot(services, { draft, files, request })
  await db.transaction().execute(async (transaction) => {
    await insertBackup(transaction, manifest)
    await request.onMade?.(transaction)
    await draft.publish(manifest)
  })
  const { media, newBytes, missingFiles } = manifest
  log.info({ backup: draft.id, media, newBytes, missingFiles, ms: Date.now() - begunAt }, 'backup made')
  return manifest
}

export type Draft = { id: string; documentPath: string }

type Files = ReturnType<typeof createFileCollector>

/** Brings the files in. Before the draft is begun: it may take days, and after one the sweep takes a draft for forgotten. */
export async function collectFiles(services: BackupServices, signal?: AbortSignal): Promise<Files> {
  await services.backupFolder.prepare()
  const files = createFileCollector(services, signal)
  for (let isLong = true; isLong; ) {
    const roundBegunAt = Date.now()
    files.beginRound()
    await collectAll(services.db, files)
    isLong = Date.now() - roundBegunAt > shortRoundMs
  }
  return files
}

type Filling = { draft: Draft; files: Files; request: BackupRequest }

/** Writes the rows of one moment, and reads everything that was written once more. */
export async function fillSnapshot(services: BackupServices, { draft, files, request }: Filling): Promise<Manifest> {
  const { db, openSnapshot, backupFolder } = services
  const createdAt = new Date().toISOString()
  let counts: DocumentCounts | undefined
  const database = await packTo(
    draft.documentPath,
    (async function* () {
      await using snapshot = await openSnapshot()
      // What the document names is there, or said to be missing.
      counts = yield* writeDocument(snapshot.db, async (page) => {
        await files.bringAll(page)
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
    // What cannot be found because the disk has gone meanwhile is not damaged.
    await backupFolder.requirePresence()
    throw error
  })
  return { ...manifest, verifiedAt: new Date().toISOString() }
}

/** Takes files into the backup folder, each looked at as it comes; remembers those that the library has lost. */
function createFileCollector(services: BackupServices, signal?: AbortSignal) {
  const { backupFolder, log } = services
  const lost = new Set<string>()
  /** Of those that the library has lost: reading them takes long, and would make every round a long one. */
  const looked = new Set<string>()
  /** In this round. When all is written, each is looked at once more. */
  const found = new Set<string>()
  /** Of those that came; noted together, since each time costs a sync. */
  const checksums: Checksum[] = []
  const totals = { bytes: 0, newBytes: 0, missing: 0 }

  async function bring({ sha256, bytes, state: known = 'ok' }: FileRecord & { state?: BlobState }) {
    signal?.throwIfAborted()
    if (lost.has(sha256) || found.has(sha256)) return
    // The library's is lost: on one disk the folder's is the same file, and rots with it.
    if (known !== 'ok' && !looked.has(sha256)) {
      await backupFolder.setAsideUnlessWhole(sha256)
      looked.add(sha256)
    }
    const isThere = await backupFolder.refreshBlob(sha256, bytes)
    const state = isThere ? 'ok' : await copyNoting(services, sha256, checksums)
    if (state === 'ok') {
      if (!isThere) totals.newBytes += bytes
      if (found.size < mostRemembered) found.add(sha256)
      return
    }
    lost.add(sha256)
    log.warn({ sha256, state }, 'file could not be backed up')
  }

  return {
    totals,
    beginRound: () => found.clear(),
    async bringAll(files: (FileRecord & { state?: BlobState })[]) {
      await forEachConcurrently(files, filesAtOnce, bring)
      await noteChecksums(services.db, checksums.splice(0))
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
      .where(({ exists, selectFrom }) =>
        exists(selectFrom('media').select('media.id').whereRef('media.blob', '=', 'blobs.sha256')),
      )
      .orderBy('sha256')
      .limit(500)
      .execute()
    await files.bringAll(page)
    if (page.length < 500) return
    last = page.at(-1)!.sha256
  }
}

/** Reads what was written as a restore would, and counts again. A file that has gone since is brought once more. */
async function verifySnapshot(services: BackupServices, documentPath: string, manifest: Manifest) {
  const expected: FileRecord[] = []
  const records = readPacked(documentPath, manifest.database, { schema: manifest.schema })
  const counts = await checkDocument(records, (file) => void (file.isMissing || expected.push(file)))
  await forEachConcurrently(expected, filesAtOnce, async ({ sha256, bytes }) => {
    const isThere = () => services.backupFolder.hasBlob(sha256, bytes)
    if (await isThere()) return
    await copyFromLibrary(services, sha256)
    if (!(await isThere())) throw new Error(`Expected file ${sha256} in the backup`)
  })
  const isRight =
    counts.users === manifest.users &&
    counts.media === manifest.media &&
    counts.collections === manifest.collections &&
    counts.files === manifest.files &&
    expected.length === manifest.files - manifest.missingFiles
  if (!isRight) throw new Error('Expected the backup to hold what was counted while it was written')
}
