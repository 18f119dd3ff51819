import type { Storage } from '#engines/storage/storage.ts'
import { markLocal } from '#features/media/server/blob-store.ts'
import type { BlobState } from '#features/media/server/tables.ts'
import { AppError } from '#platform/errors.ts'
import type { Db, Row } from '#platform/server/db/tables.ts'
import { batchesOf } from '#shared/chunks.ts'
import { forEachConcurrently } from '#shared/concurrency.ts'
import type { BackupFolder } from '../folder/backup-folder.ts'
import type { FileRecord } from '../library/library-document.ts'

type Services = { db: Db; storage: Storage; backupFolder: BackupFolder }

type Bringing = {
  /** Reads again what the library holds already, unless it was found whole within a week. */
  isThorough?: boolean
  /** What the backup folder holds was read a moment ago, and is not read again. */
  isJustRead?: boolean
  onProgress?: (done: number) => Promise<void> | void
  signal?: AbortSignal
}

type Known = Pick<Row<'blobs'>, 'state' | 'checked_at'>

const batch = 100
/** A disk and a bucket let one wait; meanwhile another is read. */
const filesAtOnce = 4
const believedMs = 7 * 24 * 3600_000
/** Far more often than the hour after which the janitor comes. */
const renewEveryMs = 10 * 60_000

/**
 * Sees to it that the library's storage holds the given files, before any row points to them. Their `blobs` rows come
 * first and are kept young, so the janitor lets them be; if nothing ever points to them it takes them away. Returns what is
 * nowhere to be found.
 */
export async function bringFiles(
  { db, storage, backupFolder }: Services,
  files: AsyncIterable<FileRecord>,
  { isThorough = false, isJustRead = false, onProgress, signal }: Bringing = {},
): Promise<FileRecord[]> {
  const missing: FileRecord[] = []
  const begunAt = Date.now()
  let done = 0
  const renewal = setInterval(keepYoung, renewEveryMs).unref()
  try {
    for await (const page of batchesOf(files, batch)) {
      signal?.throwIfAborted()
      const known = new Map((await claim(page)).map((row) => [row.sha256, row]))
      const here: FileRecord[] = []
      const lost: FileRecord[] = []
      await forEachConcurrently(page, filesAtOnce, async (file) => {
        signal?.throwIfAborted()
        const list = (await isHere(file, known.get(file.sha256)!)) ? here : lost
        list.push(file)
      })
      await setState(here, 'ok')
      await setState(lost, 'missing')
      missing.push(...lost)
      done += page.length
      await onProgress?.(done)
    }
  } finally {
    clearInterval(renewal)
  }
  return missing

  /** Nothing points to what was brought before all of it is here, and that may take hours. */
  function keepYoung() {
    const renewed = db.updateTable('blobs').set({ created_at: Date.now() }).where('created_at', '>=', begunAt)
    renewed.execute().catch(() => {}) // a database that is away is told by whoever asks it next
  }

  async function isHere(file: FileRecord, row: Known) {
    try {
      if (await isWhole(file, row)) return true
    } catch (error) {
      // Where it rests cannot be reached (an ImageKit that is away): the backup's own will do, if there is one.
      if (await fetchFromBackups(file)) return true
      throw error
    }
    return fetchFromBackups(file)
  }

  async function isWhole({ sha256, bytes }: FileRecord, row: Known) {
    if ((await storage.stat(sha256))?.bytes !== bytes) return false
    if (row.state !== 'ok') return storage.verify(sha256)
    const isBelieved = !isThorough || (row.checked_at ?? 0) > Date.now() - believedMs
    return isBelieved || storage.verify(sha256)
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
      // It may be the library's disk that fails, and not what was lent.
      if (await backupFolder.setAsideUnlessWhole(sha256)) throw error
      return false
    }
  }

  /** What was found damaged stays so until it was looked at: when this is cut off, the next try must not believe it. */
  function claim(records: FileRecord[]) {
    const created_at = Date.now()
    return db
      .insertInto('blobs')
      .values(records.map(({ sha256, bytes }) => ({ sha256, bytes, created_at })))
      .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ created_at }))
      .returning(['sha256', 'state', 'checked_at'])
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
