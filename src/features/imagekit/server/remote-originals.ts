import type { ImageKitEngine } from '#engines/imagekit/imagekit-engine.ts'
import type { RemoteFiles } from '#engines/storage/remote-files.ts'
import type { ByteRange } from '#engines/storage/storage.ts'
import { notConfigured, notFound } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { findOriginal, type RemoteObject } from './store.ts'

/** The storage driver that reads originals from ImageKit if the primary storage no longer has them. */
export function createRemoteOriginals(reads: Db, imageKit: ImageKitEngine | undefined): RemoteFiles {
  return {
    async find(sha256) {
      const object = await findOriginal(reads, sha256)
      if (!object) return null
      return {
        bytes: object.bytes,
        modifiedAt: new Date(object.created_at),
        open: (range) => openOriginal(imageKit, object, range),
      }
    },
  }
}

async function openOriginal(imageKit: ImageKitEngine | undefined, object: RemoteObject, range?: ByteRange) {
  if (!imageKit) {
    throw notConfigured('This file is stored at ImageKit: set IMAGEKIT_PRIVATE_KEY and IMAGEKIT_URL_ENDPOINT.')
  }
  const wanted = { range, totalBytes: object.bytes }
  const opened = await imageKit.open(object.file_path, wanted)
  if (opened) return opened
  // The file may have been renamed at ImageKit just before a crash, so its path is looked up by id.
  const found = object.file_id === null ? null : await imageKit.find(object.file_id)
  const moved = found && found.filePath !== object.file_path ? await imageKit.open(found.filePath, wanted) : null
  if (!moved) throw notFound('File')
  return moved
}
