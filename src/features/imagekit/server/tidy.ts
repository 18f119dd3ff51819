import type { FastifyBaseLogger } from 'fastify'
import type { ImageKitEngine } from '#engines/imagekit/imagekit-engine.ts'
import { isAway } from '#engines/imagekit/imagekit-errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { deleteObject, findLeavingAfter, markUnwantedForRemoval, type RemoteObject } from './store.ts'

type Services = { db: Db; imageKit: ImageKitEngine; log: FastifyBaseLogger }

/** An upload in progress may arrive after its removal, so its record is kept this long and the removal repeated. */
const uploadOverMs = 3600_000

/** Removes files marked for removal at ImageKit. If ImageKit is unreachable, the next run retries. */
export async function tidyImageKit(services: Services, signal: AbortSignal) {
  await markUnwantedForRemoval(services.db)
  try {
    await removeLeaving(services, signal)
  } catch (error) {
    if (!isAway(error)) throw error
    services.log.warn({ err: error }, 'files were not removed from ImageKit')
  }
}

export async function removeLeaving({ db, imageKit, log }: Services, signal: AbortSignal) {
  let removed = 0
  for (let last = ''; ; ) {
    const object = await findLeavingAfter(db, last)
    if (!object) break
    signal.throwIfAborted()
    await imageKit.removeFolder(object.folder, object.file_path)
    if (isUploadOver(object)) await deleteObject(db, object.folder)
    last = object.folder
    removed++
  }
  if (removed > 0) log.info({ removed }, 'files removed from ImageKit')
}

const isUploadOver = ({ file_id, created_at }: RemoteObject) =>
  file_id !== null || created_at < Date.now() - uploadOverMs
