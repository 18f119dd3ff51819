import { recordState } from '#features/media/server/blob-store.ts'
import type { BlobState } from '#features/media/server/tables.ts'
import { AppError } from '#platform/errors.ts'
import type { BackupServices } from './backup-services.ts'
import { type Checksum, noteChecksums } from './checksums.ts'

/** What comes of it is the state of the library's own file; one that is lost is written down as such. */
export async function copyFromLibrary(services: BackupServices, sha256: string): Promise<BlobState> {
  const checksums: Checksum[] = []
  const state = await copyNoting(services, sha256, checksums)
  await noteChecksums(services.db, checksums)
  return state
}

/** The same for whoever notes many checksums at once. */
export async function copyNoting(services: BackupServices, sha256: string, checksums: Checksum[]): Promise<BlobState> {
  const { db } = services
  const known = await db
    .selectFrom('blobs')
    .select(['sha256', 'created_at'])
    .where('sha256', '=', sha256)
    .executeTakeFirst()
  const { state, crc32 } = await tryToCopy(services, sha256)
  if (crc32 !== undefined) checksums.push({ sha256, crc32 })
  if (known && state !== 'ok') await recordState(db, known, { state, checked_at: Date.now() })
  return state
}

type Copied = { state: BlobState; crc32?: number }

async function tryToCopy({ storage, backupFolder }: BackupServices, sha256: string): Promise<Copied> {
  try {
    const added = await storage.withLocalFile(sha256, (path) => backupFolder.addBlob(sha256, path))
    return added ? { state: 'ok', crc32: added.crc32 } : { state: 'damaged' }
  } catch (error) {
    if (error instanceof AppError && error.code === 'not-found') return { state: 'missing' }
    if (error instanceof AppError && error.code === 'damaged-file') return { state: 'damaged' }
    throw error
  }
}
