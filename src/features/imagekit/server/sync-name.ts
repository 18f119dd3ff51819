import { posix } from 'node:path'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import { changeMedia } from '#features/media/server/media.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { lockOwnedMedia, updateMedia } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { isPublic, type ObjectServices, remoteName, sendOriginal, sendPublicCopy } from './objects.ts'
import { confirmObject, type RemoteObject } from './store.ts'

/** Only the address at ImageKit changes. Our own addresses contain the content hash and still work. */
export async function syncName(services: ObjectServices, media: Owned<MediaRow>, newName: string) {
  const { db, imageKit } = services
  const renamed = await changeMedia(db, media, { filename: newName })
  try {
    const object = await renameRemote(services, renamed)
    const shown = posix.basename(object.file_path)
    const warning = shown !== renamed.filename
    return {
      oldName: media.filename,
      newName: renamed.filename,
      newUrl: imageKit.addressOf(object.file_path, { isPrivate: object.kind === 'original' }),
      message: warning
        ? `"${renamed.filename}" is named "${shown}" at ImageKit, which does not allow every character.`
        : `"${renamed.filename}" has the same name at ImageKit.`,
      warning,
    }
  } catch (error) {
    await restoreName(db, media, renamed.filename)
    throw error
  }
}

/** Restores the name after a failure at ImageKit, unless the user has changed it again in the meantime. */
async function restoreName(db: ObjectServices['db'], { id, owner_id, filename, name_key }: MediaRow, given: string) {
  await db.transaction().execute(async (transaction) => {
    const [current] = await lockOwnedMedia(transaction, owner_id, [id])
    if (current?.filename !== given) return
    await updateMedia(transaction, id, { filename, name_key })
    await indexMedia(transaction, [id])
  })
}

/** A public item gets the address of its public copy; any other gets a signed address of its private file. */
async function renameRemote(services: ObjectServices, media: MediaRow): Promise<RemoteObject> {
  const { db, imageKit } = services
  const object = await (isPublic(media) ? sendPublicCopy : sendOriginal)(services, media)
  const wanted = remoteName(media.filename)
  if (posix.basename(object.file_path) === wanted) return object
  const before = (await imageKit.find(object.file_id!)) ?? { fileId: object.file_id!, filePath: object.file_path }
  const after = posix.basename(before.filePath) === wanted ? before : await imageKit.rename(before, wanted)
  const named = { file_id: after.fileId, file_path: after.filePath }
  await confirmObject(db, object.folder, named)
  return { ...object, ...named }
}
