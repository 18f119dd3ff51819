import type { FastifyBaseLogger } from 'fastify'
import type { ImageKitEngine } from '#engines/imagekit/imagekit-engine.ts'
import { isAway } from '#engines/imagekit/imagekit-errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { deleteObject, findLeavingAfter, type RemoteObject, tellUnwantedToLeave } from './store.ts'

type Services = { db: Db; imageKit: ImageKitEngine; log: FastifyBaseLogger }

/** A file that was being sent when it was told to leave may arrive after it was removed; by then it has arrived. */
const arrivedByMs = 3600_000

/** What is not public any more, and what nothing needs, goes from there. When ImageKit is away, the next time. */
export async function tidyImageKit(services: Services, signal: AbortSignal) {
  await tellUnwantedToLeave(services.db)
  try {
    await removeLeaving(services, signal)
  } catch (error) {
    if (!isAway(error)) throw error
    services.log.warn({ err: error }, 'files could not be removed from ImageKit yet')
  }
}

export async function removeLeaving({ db, imageKit, log }: Services, signal: AbortSignal) {
  let removed = 0
  for (let last = ''; ; ) {
    const object = await findLeavingAfter(db, last)
    if (!object) break
    signal.throwIfAborted()
    await imageKit.removeFolder(object.folder, object.file_path)
    if (hasArrived(object)) await deleteObject(db, object.folder)
    last = object.folder
    removed++
  }
  if (removed > 0) log.info({ removed }, 'files removed from ImageKit')
}

const hasArrived = ({ file_id, created_at }: RemoteObject) => file_id !== null || created_at < Date.now() - arrivedByMs
