import { type Kysely, sql } from 'kysely'
import { recordState } from '#features/media/server/blob-store.ts'
import type { BlobState } from '#features/media/server/tables.ts'
import { AppError } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { forEachConcurrently } from '#shared/concurrency.ts'
import { countOf } from '#shared/count.ts'
import type { BackupServices } from './backup-services.ts'
import { damagedBackup } from './folder/backup-faults.ts'
import type { FileRecord } from './library/library-document.ts'

/** Copies a file of the library into the backup folder. Returns the state of the library's file and records a lost one. */
export async function copyFromLibrary(services: BackupServices, sha256: string): Promise<BlobState> {
  const checksums: Checksum[] = []
  const state = await copyCollectingChecksums(services, sha256, checksums)
  await saveChecksums(services.db, checksums)
  return state
}

/** The same, but collects the checksum instead of storing it. */
export async function copyCollectingChecksums(
  services: BackupServices,
  sha256: string,
  checksums: Checksum[],
): Promise<BlobState> {
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

/**
 * [Note: Known checksums]
 * A ZIP file contains the CRC-32 of each file. When a backup has read a file and its hash matched, its CRC-32 is stored, and
 * later downloads compare the CRC-32, which they compute anyway, instead of hashing. It is not part of a backup, because a
 * checksum from outside must not be trusted.
 */
export type Checksum = { sha256: string; crc32: number }

/** Stores a few hundred checksums. Locked rows are skipped; their checksums are stored another time. */
export async function saveChecksums(db: Kysely<Tables>, checksums: Checksum[]) {
  if (checksums.length === 0) return
  const sums = new Map(checksums.map(({ sha256, crc32 }) => [sha256, crc32]))
  await db.transaction().execute(async (transaction) => {
    const blobs = transaction
      .selectFrom('blobs')
      .select('sha256')
      .where('sha256', 'in', [...sums.keys()])
    const free = await dialectOf(db).lockFreeRows(blobs).execute()
    if (free.length === 0) return
    const rows = free.map(({ sha256 }) => sql`(${sha256}, CAST(${sums.get(sha256)!} AS BIGINT))`)
    await sql`UPDATE blobs SET crc32 = noted.column2 FROM (VALUES ${sql.join(rows)}) AS noted
      WHERE blobs.sha256 = noted.column1`.execute(transaction)
  })
}

export async function loadChecksums(db: Kysely<Tables>, names: string[]) {
  const rows = await db
    .selectFrom('blobs')
    .select(['sha256', 'crc32'])
    .where('sha256', 'in', names)
    .where('crc32', 'is not', null)
    .$narrowType<{ crc32: number }>()
    .execute()
  return new Map(rows.map(({ sha256, crc32 }) => [sha256, crc32]))
}

export async function forgetChecksum(db: Kysely<Tables>, sha256: string) {
  await db.updateTable('blobs').set({ crc32: null }).where('sha256', '=', sha256).execute()
}

const filesAtOnce = 4

/** Fetches files that a backup has lost from the library again. Returns those that are lost there too. */
export async function repairFiles(services: BackupServices, files: AsyncIterable<FileRecord>): Promise<FileRecord[]> {
  const { backupFolder, log } = services
  const absent: FileRecord[] = []
  for await (const file of files) if (!(await backupFolder.hasBlob(file.sha256, file.bytes))) absent.push(file)
  const lost: FileRecord[] = []
  await forEachConcurrently(absent, filesAtOnce, async (file) => {
    // One failing file must not keep the others from being fetched.
    const state = await copyFromLibrary(services, file.sha256).catch((error: unknown) => {
      log.warn({ err: error, sha256: file.sha256 }, 'backup file was not copied from the library')
    })
    if (state !== 'ok') lost.push(file)
  })
  return lost
}

/** `writeDocument` writes one record per line. Matched as latin1, since a chunk may end within a character. */
const heldFile = /^\{"sha256":"([0-9a-f]{64})","bytes":\d+(?=\})/gm

/** The document of a backup with the given files marked as missing. */
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
  if (names.size > 0)
    throw damagedBackup(`${countOf(lost.length, 'of its files is', 'of its files are')} damaged or missing`)

  function mark(held: string, sha256: string) {
    return names.delete(sha256) ? `${held},"isMissing":true` : held
  }
}
