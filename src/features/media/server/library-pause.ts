import { unavailable } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Db } from '#platform/server/db/tables.ts'

const retryAfterSeconds = 5

export const libraryIsPaused = () =>
  unavailable('The library is being restored. Please try again in a moment.', retryAfterSeconds)

export async function isLibraryPaused(db: Db) {
  return Boolean(await db.selectFrom('restores').select('id').where('running', 'is not', null).executeTakeFirst())
}

/**
 * [Note: What is acknowledged is in the backup]
 * A file may have been on its way, in any process, when a restore began. Inside the transaction that records it: either it
 * is recorded before the restore begins, and the safety backup has it, or it is refused.
 */
export async function refuseWhilePaused(transaction: Db) {
  await dialectOf(transaction).holdTogether(transaction, 'library')
  if (await isLibraryPaused(transaction)) throw libraryIsPaused()
}

/** Inside the transaction that begins a restore: waits for files that are just being recorded. */
export async function waitForWriters(transaction: Db) {
  await dialectOf(transaction).holdAlone(transaction, 'library')
}
