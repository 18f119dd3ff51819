import { Readable } from 'node:stream'
import type { ZipSource } from '#engines/archive/write-zip.ts'
import type { CollectionRow } from '#features/collections/server/store.ts'
import { isPermanentlyLost, missingFiles, missingFilesName } from '#features/media/server/files/missing-in-zip.ts'
import { openFile } from '#features/media/server/files/open-file.ts'
import { downloadName } from '#features/media/server/files/send-file.ts'
import type { FileServices } from '#features/media/server/files/served-file.ts'
import { safeFilename, uniqueNames } from '#shared/filenames.ts'
import { loadShared } from './shares.ts'
import { findVisibleMember, listVisibleMembers } from './store.ts'

/**
 * The files of a collection as visitors get them. Access is checked before each one, since the owner may remove an item
 * or change the password during a slow download. Files that cannot be read are listed.
 */
export async function* downloadEntries(services: FileServices, collection: CollectionRow): AsyncGenerator<ZipSource> {
  const { db } = services
  const freeName = uniqueNames()
  const missing: string[] = []
  for (const { row } of await listVisibleMembers(db, collection)) {
    const present = await loadShared(db, collection.id)
    const isStillOpen = present?.allows_download === 1 && present.password_hash === collection.password_hash
    if (!isStillOpen) throw new Error('This collection is no longer available for download.')
    const media = await findVisibleMember(db, present, row.id)
    if (!media) continue
    // Without a name, because the MP4 or WebP made from the file may have another ending.
    const wanted = { name: '', audience: 'anyone', query: {} } as const
    const file = await openFile(services, media, wanted).catch((error) => {
      if (!isPermanentlyLost(error)) throw error
    })
    if (!file) {
      missing.push(media.filename)
      continue
    }
    yield {
      name: freeName(safeFilename(downloadName(media, file.mimeType))),
      bytes: file.bytes,
      open: async () => {
        const opened = await file.open()
        return Buffer.isBuffer(opened) ? Readable.from([opened]) : opened.stream
      },
    }
  }
  if (missing.length > 0) yield missingFiles(freeName(missingFilesName), missing)
}
