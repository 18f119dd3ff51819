import type { FastifyInstance } from 'fastify'
import type { Kysely } from 'kysely'
import { isLibraryPaused, libraryIsPaused } from '#features/media/server/library-pause.ts'
import type { Notifications } from '#platform/server/db/database.ts'
import type { Tables } from '#platform/server/db/tables.ts'

/**
 * [Note: Nothing is written while a restore runs]
 * What came in meanwhile would be lost with the old library. Every process keeps in memory whether a restore runs, and asks
 * again whenever another one says a word; so a read costs nothing, and a change is refused at once with 503.
 */
export type RestoreGate = { isClosed(): boolean; look(): Promise<void>; announce(): Promise<void>; close(): void }

export async function createRestoreGate(db: Kysely<Tables>, notifications: Notifications): Promise<RestoreGate> {
  let isClosed = false
  const look = async () => {
    isClosed = await isLibraryPaused(db)
  }
  // When the database is away, the next word or the next restore asks again.
  const unsubscribe = notifications.subscribe('restore', () => void look().catch(() => {}))
  await look()
  return {
    isClosed: () => isClosed,
    look,
    async announce() {
      await look()
      await notifications.publish('restore', 'changed')
    },
    close: unsubscribe,
  }
}

export function refuseWhileRestoring(app: FastifyInstance, gate: Pick<RestoreGate, 'isClosed'>) {
  app.addHook('onRequest', (request, _reply, done) => {
    const isRefused = gate.isClosed() && request.method !== 'GET' && request.method !== 'HEAD'
    done(isRefused ? libraryIsPaused() : undefined)
  })
}
