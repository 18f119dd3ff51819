import type { Storage } from '#engines/storage/storage.ts'
import type { BlobState, Db } from '#platform/server/db/tables.ts'
import type { BackupFolder } from './backup-folder.ts'
import type { FileRecord } from './library/write-document.ts'

type Services = { db: Db; storage: Storage; backupFolder: BackupFolder }

type Bringing = {
  /** Reads again what the library holds already, unless it was found whole within a week. */
  isThorough?: boolean
  onProgress?: (done: number) => Promise<void> | void
  signal?: AbortSignal
}

const batch = 100
const believedMs = 7 * 24 * 3600_000

/**
 * Sees to it that the library's storage holds the given files, before any row points to them. Their `blobs` rows come
 * first and are young, so the janitor lets them be; if nothing ever points to them it takes them away. Returns what is
 * nowhere to be found.
 */
export async function bringFiles(
  { db, storage, backupFolder }: Services,
  files: AsyncIterable<FileRecord>,
  { isThorough = false, onProgress, signal }: Bringing = {},
): Promise<FileRecord[]> {
  const missing: FileRecord[] = []
  let done = 0
  for await (const page of inBatches(files, batch)) {
    signal?.throwIfAborted()
    const before = await db
      .selectFrom('blobs')
      .select(['sha256', 'state', 'checked_at'])
      .where(
        'sha256',
        'in',
        page.map(({ sha256 }) => sha256),
      )
      .execute()
    const known = new Map(before.map((row) => [row.sha256, row]))
    await upsert(page, 'ok')
    const lost: FileRecord[] = []
    for (const file of page) {
      signal?.throwIfAborted()
      if (!(await isWhole(file)) && !(await fetchFromBackups(file))) lost.push(file)
    }
    if (lost.length > 0) await upsert(lost, 'missing')
    missing.push(...lost)
    done += page.length
    await onProgress?.(done)

    async function isWhole({ sha256, bytes }: FileRecord) {
      if ((await storage.stat(sha256))?.bytes !== bytes) return false
      const row = known.get(sha256)
      if (row && row.state !== 'ok') return storage.verify(sha256)
      const isBelieved = !isThorough || (row?.checked_at ?? 0) > Date.now() - believedMs
      return isBelieved || storage.verify(sha256)
    }
  }
  return missing

  async function fetchFromBackups({ sha256, bytes }: FileRecord) {
    if (!(await backupFolder.hasBlob(sha256, bytes))) return false
    const adopted = await backupFolder.lendBlob(sha256, (path) => storage.adopt(path))
    return adopted.sha256 === sha256
  }

  async function upsert(records: FileRecord[], state: BlobState) {
    const created_at = Date.now()
    await db
      .insertInto('blobs')
      .values(records.map(({ sha256, bytes }) => ({ sha256, bytes, created_at, state })))
      .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ created_at, state }))
      .execute()
  }
}

async function* inBatches<T>(items: AsyncIterable<T>, size: number) {
  let page: T[] = []
  for await (const item of items) {
    page.push(item)
    if (page.length < size) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}
