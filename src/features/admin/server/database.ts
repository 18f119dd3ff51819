import { createReadStream } from 'node:fs'
import { type Asking, requireStillAdmin } from '#features/auth/server/sessions.ts'
import { writeDocument } from '#features/backups/server/library/library-document.ts'
import {
  checkDocument,
  filesOf,
  loadKnown,
  readDocument,
  readTimeOf,
} from '#features/backups/server/library/read-document.ts'
import { emptyLibrary, replaceLibrary } from '#features/backups/server/library/replace-library.ts'
import { bringFiles } from '#features/backups/server/restores/bring-files.ts'
import { beginResuming, type RestoreServices } from '#features/backups/server/restores/restore.ts'
import { claimAllBlobs } from '#features/media/server/blob-store.ts'
import { isLibraryPaused, libraryIsPaused, replaceAlone } from '#features/media/server/library-pause.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { countOf } from '#shared/count.ts'
import type { DatabaseImport } from '../contract.ts'

/** A snapshot of all rows as one JSON document, with password hashes and without sessions and settings. */
export async function* exportDatabase({ openSnapshot }: Pick<RestoreServices, 'openSnapshot'>) {
  await using snapshot = await openSnapshot()
  yield* writeDocument(snapshot.db)
}

/** The whole document is validated before anything changes; then one transaction replaces all rows. */
export async function importDatabase(services: RestoreServices, asking: Asking, path: string): Promise<DatabaseImport> {
  const { db, jobs, events, log, restoreGate } = services
  const known = await loadKnown(db)
  const records = () => readDocument(createReadStream(path), known)
  const { users, media, collections } = await checkDocument(records())
  await using _ = await restoreGate.hold()
  await using _claim = await claimAllBlobs(db)
  const { missing } = await bringFiles(services, filesOf(records()))
  const madeAt = await readTimeOf(createReadStream(path))
  await replaceAlone(db, async (transaction) => {
    await refuseDuringRestore(transaction)
    await requireStillAdmin(transaction, asking)
    const { adminId } = asking
    await replaceLibrary(transaction, { records: records(), columns: known.columns, adminId, madeAt })
    await beginResuming(jobs, transaction)
  })
  await events.resetAll()
  log.info({ users, media, collections, missingFiles: missing.length }, 'database imported')
  const lost = missing.length > 0 ? ` ${countOf(missing.length, 'file')} could not be found.` : ''
  return {
    message: `${countOf(users, 'user')}, ${countOf(media, 'item')} and ${countOf(collections, 'collection')} were imported.${lost}`,
    imported: { users, media, collections },
    missingFiles: missing.length,
  }
}

/** A restore may have started while the document was uploaded. */
async function refuseDuringRestore(transaction: Db) {
  if (await isLibraryPaused(transaction)) throw libraryIsPaused()
}

export async function resetDatabase({ db, events, log, restoreGate }: RestoreServices, asking: Asking) {
  await using _ = await restoreGate.hold()
  await replaceAlone(db, async (transaction) => {
    await refuseDuringRestore(transaction)
    await requireStillAdmin(transaction, asking)
    await emptyLibrary(transaction, asking.adminId)
  })
  await events.resetAll()
  log.warn({ adminId: asking.adminId }, 'database reset')
}
