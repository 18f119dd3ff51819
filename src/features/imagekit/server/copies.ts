import type { Kysely } from 'kysely'
import type { ImageKitEngine } from '#engines/imagekit/imagekit-engine.ts'
import type { Storage } from '#engines/storage/storage.ts'
import { changeMedia } from '#features/media/server/media.ts'
import type { Owned } from '#features/media/server/owned.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { AppError } from '#platform/errors.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { findCopy, saveCopy } from './store.ts'

export type CopyServices = { db: Kysely<Tables>; storage: Storage; imageKit: ImageKitEngine }

/** Letters, digits, dot, dash and underscore: what ImageKit keeps of a name. */
export const remoteName = (filename: string) => filename.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}._-]/gu, '_')

/** Sent, then read back and hashed; only then does the item have a copy. What is not public goes as a private file. */
export async function copyToImageKit({ db, storage, imageKit }: CopyServices, media: MediaRow) {
  const isPrivate = media.public_slug === null || media.is_trashed === 1
  const place = {
    folder: `/albumen/${media.id}-${media.blob.slice(0, 12)}`,
    fileName: remoteName(media.filename),
    isPrivate,
  }
  const sent = await storage.withLocalFile(media.blob, (path) => imageKit.upload(path, place))
  const found = sent.bytes === media.size ? await imageKit.hashOriginal(sent.filePath) : null
  if (found?.sha256 !== media.blob) {
    throw new AppError('imagekit', 502, 'The copy at ImageKit is not the same as the file.')
  }
  const copy = {
    media_id: media.id,
    blob: media.blob,
    file_id: sent.fileId,
    file_path: sent.filePath,
    is_private: isPrivate ? (1 as const) : (0 as const),
    copied_at: Date.now(),
  }
  await saveCopy(db, copy)
  return copy
}

/** Our own addresses carry the content's hash and go on answering; only the copy's address changes. */
export async function syncName(services: CopyServices, media: Owned<MediaRow>, newName: string) {
  const { db, imageKit } = services
  const known = await findCopy(db, media.id)
  const isThere = known?.blob === media.blob
  const renamed = await changeMedia(db, media, { filename: newName })
  const copy = isThere ? await renameCopy() : await copyToImageKit(services, renamed)
  const shown = copy.file_path.split('/').at(-1)!
  const warning = shown !== renamed.filename
  return {
    oldName: media.filename,
    newName: renamed.filename,
    newUrl: imageKit.addressOf(copy.file_path, { isPrivate: copy.is_private === 1 }),
    message: warning
      ? `"${renamed.filename}" is called "${shown}" at ImageKit, which does not keep every character.`
      : `"${renamed.filename}" has the same name at ImageKit.`,
    warning,
  }

  async function renameCopy() {
    const wanted = remoteName(renamed.filename)
    if (known!.file_path.endsWith(`/${wanted}`)) return known!
    const remote = await imageKit.rename({ fileId: known!.file_id, filePath: known!.file_path }, wanted)
    const copy = { ...known!, file_id: remote.fileId, file_path: remote.filePath }
    await saveCopy(db, copy)
    return copy
  }
}
