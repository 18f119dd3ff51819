import { randomBytes } from 'node:crypto'
import { posix } from 'node:path'
import type { Kysely } from 'kysely'
import type { ImageKitEngine } from '#engines/imagekit/imagekit-engine.ts'
import { hashLocal } from '#engines/storage/local-files.ts'
import type { StorageWithRemoteFiles } from '#engines/storage/remote-files.ts'
import { openFile } from '#features/media/server/files/open-file.ts'
import { downloadName } from '#features/media/server/files/send-file.ts'
import type { FileServices } from '#features/media/server/files/served-file.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { AppError } from '#platform/errors.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { confirmObject, planObject, type RemoteObject } from './store.ts'

export type ObjectServices = FileServices & {
  db: Kysely<Tables>
  storage: StorageWithRemoteFiles
  imageKit: ImageKitEngine
}

/** ImageKit keeps letters, digits, dots, dashes and underscores of a name. */
export const remoteName = (filename: string) => filename.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}._-]/gu, '_')

export const isPublic = ({ public_slug, is_trashed }: Pick<MediaRow, 'public_slug' | 'is_trashed'>) =>
  public_slug !== null && is_trashed === 0

/** Sends the original bytes as a private file, once for all items that share them. */
export async function sendOriginal(services: ObjectServices, { blob, size, filename }: MediaRow) {
  const fileName = remoteName(filename)
  const folder = freshFolder('originals', blob)
  return services.storage.withLocalFile(blob, (path) =>
    send(services, path, {
      plan: { folder, kind: 'original', blob, media_id: null, file_path: `${folder}/${fileName}`, bytes: size },
      sha256: blob,
    }),
  )
}

/** Sends the file a visitor would get, without EXIF, locations and comments, as a public file. */
export async function sendPublicCopy(services: ObjectServices, media: MediaRow) {
  const { id, blob } = media
  const wanted = await openFile(services, media, { name: '', audience: 'anyone', query: {} })
  const fileName = remoteName(downloadName(media, wanted.mimeType))
  const folder = freshFolder('public', `${id}-${blob.slice(0, 12)}`)
  return services.storage.derived.withLocalFile(`${blob}/${wanted.recipe}`, async (path) =>
    send(services, path, {
      plan: { folder, kind: 'public', blob, media_id: id, file_path: `${folder}/${fileName}`, bytes: wanted.bytes },
      sha256: (await hashLocal(path)).sha256,
    }),
  )
}

const freshFolder = (kind: string, name: string) => `/albumen/${kind}/${name}-${randomBytes(6).toString('hex')}`

type Sending = { plan: Parameters<typeof planObject>[1]; sha256: string }

/** Uploads a file, then downloads and hashes it before it counts as stored. */
async function send({ db, imageKit }: ObjectServices, path: string, { plan, sha256 }: Sending): Promise<RemoteObject> {
  const planned = await planObject(db, plan)
  if (planned.state === 'kept') return planned
  const { folder } = planned
  const sent = await imageKit.upload(path, {
    folder,
    fileName: posix.basename(planned.file_path),
    isPrivate: plan.kind === 'original',
  })
  const found = sent.bytes === plan.bytes ? await imageKit.hash(sent.filePath) : null
  if (found?.sha256 !== sha256) {
    throw new AppError('imagekit-damaged', 502, 'The copy at ImageKit does not match the file.')
  }
  const kept = { file_id: sent.fileId, file_path: sent.filePath, bytes: plan.bytes }
  if (!(await confirmObject(db, folder, kept))) {
    await imageKit.removeFolder(folder, sent.filePath)
    throw new AppError('imagekit-unwanted', 409, 'The item changed during the copy. Please try again.')
  }
  return { ...planned, ...kept, state: 'kept' }
}
