import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ZipSource } from '#engines/archive/write-zip.ts'
import { takesWords } from '#engines/metadata/insert-xmp.ts'
import type { Storage } from '#engines/storage/storage.ts'
import { isPermanentlyLost, missingFiles, missingFilesName } from '#features/media/server/files/missing-in-zip.ts'
import { downloadName } from '#features/media/server/files/send-file.ts'
import type { ServedFile } from '#features/media/server/files/served-file.ts'
import { withWords, wordsOf } from '#features/media/server/files/with-words.ts'
import { watchLibrary } from '#features/media/server/library-pause.ts'
import { listOwnedSizes, listTagsByMedia, loadOwnedMediaList } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { notFound } from '#platform/errors.ts'
import type { Database } from '#platform/server/db/database.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { chunksOf } from '#shared/chunks.ts'
import { safeFilename, uniqueNames } from '#shared/filenames.ts'

const goodForMs = 60 * 60 * 1000
const batch = 100

type Reading = Pick<Database, 'db' | 'slowReads'>

/**
 * Ten thousand ids do not fit into a URL, and a page that fetched the file itself would hold it in memory. The selection is
 * stored as a row, so the browser can fetch the file by its address from any process.
 */
export async function prepareDownload({ db, slowReads }: Reading, ownerId: number, wanted: readonly number[]) {
  const sizes = await listOwnedSizes(slowReads, ownerId, wanted)
  if (sizes.size === 0) throw notFound('Media')
  const mediaIds = [...new Set(wanted)].filter((id) => sizes.has(id))
  const id = randomUUID()
  await removeOutdated(db, ownerId)
  const row = { id, owner_id: ownerId, media_ids: JSON.stringify(mediaIds), created_at: Date.now() }
  await db.insertInto('prepared_downloads').values(row).execute()
  return { id, items: mediaIds.length, bytes: sizes.values().reduce((sum, size) => sum + size, 0) }
}

async function removeOutdated(db: Db, ownerId: number) {
  await db
    .deleteFrom('prepared_downloads')
    .where('owner_id', '=', ownerId)
    .where('created_at', '<=', Date.now() - goodForMs)
    .execute()
}

type Download = { mediaIds: number[]; requireSameLibrary: () => Promise<void> }

export async function loadDownload(db: Db, ownerId: number, id: string): Promise<Download> {
  const requireSameLibrary = await watchLibrary(db)
  const run = await db
    .selectFrom('prepared_downloads')
    .select('media_ids')
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .where('created_at', '>', Date.now() - goodForMs)
    .executeTakeFirst()
  if (!run) throw notFound('Download')
  return { mediaIds: JSON.parse(run.media_ids), requireSameLibrary }
}

type Services = { db: Db; storage: Pick<Storage, 'open' | 'stat'> }

/** The originals with the items' words in them, in the selected order. Items deleted in the meantime are skipped, and unreadable ones are named. */
export async function* downloadSources(
  { db, storage }: Services,
  ownerId: number,
  { mediaIds, requireSameLibrary }: Download,
): AsyncGenerator<ZipSource> {
  const freeName = uniqueNames()
  const missing: string[] = []
  for (const ids of chunksOf(mediaIds, batch)) {
    const rows = new Map((await loadOwnedMediaList(db, ownerId, ids)).map((row) => [row.id, row]))
    const tags = await listTagsByMedia(db, [...rows.keys()])
    await requireSameLibrary()
    for (const row of ids.flatMap((id) => rows.get(id) ?? [])) {
      const words = takesWords(row.mime_type) ? wordsOf(row, tags.get(row.id) ?? []) : {}
      const name = () => freeName(safeFilename(downloadName(row)))
      if (Object.keys(words).length > 0) {
        const file = await findOriginal(storage, row)
        const written = file && (await withWords(file, words).catch(orLost))
        if (written) yield { name: name(), bytes: written.bytes, isDeflated: false, open: () => streamOf(written) }
        else missing.push(row.filename)
        continue
      }
      const original = await openOriginal(storage, row)
      if (!original) {
        missing.push(row.filename)
        continue
      }
      try {
        yield { name: name(), bytes: row.size, isDeflated: false, open: async () => original }
      } finally {
        // The client may have stopped reading before this file was consumed.
        original.destroy()
      }
    }
  }
  if (missing.length > 0) yield missingFiles(freeName(missingFilesName), missing)
}

/** Null if its bytes are missing or incomplete. */
async function findOriginal(
  storage: Services['storage'],
  { blob, size, mime_type }: MediaRow,
): Promise<ServedFile | null> {
  const facts = await storage.stat(blob)
  if (facts?.bytes !== size) return null
  return { recipe: 'original', mimeType: mime_type, bytes: size, open: (range) => storage.open(blob, range) }
}

function orLost(error: unknown) {
  if (!isPermanentlyLost(error)) throw error
  return null
}

async function streamOf(file: ServedFile) {
  const opened = await file.open()
  return Buffer.isBuffer(opened) ? Readable.from([opened]) : opened.stream
}

async function openOriginal(storage: Services['storage'], { blob, size }: MediaRow) {
  try {
    const { stream, bytes } = await storage.open(blob)
    if (bytes === size) return stream
    stream.destroy()
  } catch (error) {
    if (!isPermanentlyLost(error)) throw error
  }
  return null
}
