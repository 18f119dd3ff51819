import type { Storage } from '#engines/storage/storage.ts'
import { markLocal } from '#features/media/server/blob-store.ts'
import type { BlobState } from '#features/media/server/tables.ts'
import { AppError } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { batchesOf } from '#shared/chunks.ts'
import { forEachConcurrently } from '#shared/concurrency.ts'
import type { BackupFolder } from '../folder/backup-folder.ts'
import type { FileRecord } from '../library/library-document.ts'

type Services = { db: Db; storage: Storage; backupFolder: BackupFolder }

type Bringing = {
  /** Reads the library's existing files and replaces damaged ones. Otherwise files that are not known as damaged are trusted. */
  isThorough?: boolean
  /** The backup folder's files were read a moment ago and are not read again. */
  isJustRead?: boolean
  onProgress?: (done: number) => Promise<void> | void
  signal?: AbortSignal
}

/** `healed`: the number of damaged files that were replaced. */
type Brought = { missing: FileRecord[]; healed: number }

const batch = 100
/** Files handled concurrently, since each waits for the disk or a bucket. */
const filesAtOnce = 4

/**
 * Brings the given files into the library's storage before any row refers to them. The caller keeps the janitor from deleting
 * them meanwhile, by a pause or by claiming all blobs.
 */
export async function bringFiles(
  { db, storage, backupFolder }: Services,
  files: AsyncIterable<FileRecord>,
  { isThorough = false, isJustRead = false, onProgress, signal }: Bringing = {},
): Promise<Brought> {
  const missing: FileRecord[] = []
  let healed = 0
  let done = 0
  for await (const page of batchesOf(files, batch)) {
    signal?.throwIfAborted()
    const states = new Map((await claim(page)).map(({ sha256, state }) => [sha256, state]))
    const here: FileRecord[] = []
    const lost: FileRecord[] = []
    await forEachConcurrently(page, filesAtOnce, async (file) => {
      signal?.throwIfAborted()
      const list = (await isHere(file, states.get(file.sha256)!)) ? here : lost
      list.push(file)
    })
    await setState(here, 'ok')
    await setState(lost, 'missing')
    missing.push(...lost)
    done += page.length
    await onProgress?.(done)
  }
  return { missing, healed }

  async function isHere(file: FileRecord, state: BlobState) {
    let found: 'whole' | 'damaged' | 'missing'
    try {
      found = await examine(file, state)
    } catch (error) {
      // If its storage cannot be reached (such as ImageKit), the backup's copy is used instead.
      if (await fetchFromBackups(file)) return true
      throw error
    }
    if (found === 'whole') return true
    const isFetched = await fetchFromBackups(file)
    if (isFetched && found === 'damaged') healed++
    return isFetched
  }

  async function examine({ sha256, bytes }: FileRecord, state: BlobState) {
    const stored = await storage.stat(sha256)
    if (!stored) return 'missing'
    if (stored.bytes !== bytes) return 'damaged'
    const isTrusted = !isThorough && state === 'ok'
    return isTrusted || (await storage.verify(sha256, signal)) ? 'whole' : 'damaged'
  }

  async function fetchFromBackups({ sha256, bytes }: FileRecord) {
    if (!(await backupFolder.hasBlob(sha256, bytes))) {
      await backupFolder.requirePresence()
      return false
    }
    const known = isJustRead ? { sha256, bytes } : undefined
    try {
      const adopted = await backupFolder.lendBlob(sha256, (path) => storage.adopt(path, known))
      if (adopted.sha256 !== sha256) throw arrivedDamaged()
      await markLocal(db, sha256)
      return true
    } catch (error) {
      // If the lent file is intact, the library's disk has failed.
      if (await backupFolder.setAsideUnlessWhole(sha256)) throw error
      return false
    }
  }

  /** A row marked as damaged keeps its state until the file was checked, so an interrupted run does not trust it. */
  function claim(records: FileRecord[]) {
    const created_at = Date.now()
    return db
      .insertInto('blobs')
      .values(records.map(({ sha256, bytes }) => ({ sha256, bytes, created_at })))
      .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ created_at }))
      .returning(['sha256', 'state'])
      .execute()
  }

  async function setState(records: FileRecord[], state: BlobState) {
    if (records.length === 0) return
    const names = records.map(({ sha256 }) => sha256)
    await db.updateTable('blobs').set({ state }).where('sha256', 'in', names).where('state', '!=', state).execute()
  }
}

const arrivedDamaged = () =>
  new AppError(
    'damaged-file',
    500,
    'A file was intact in the backup and damaged after copying. Check the disk of the library and the memory of the machine.',
  )
