import { missingMedia, throwIfNoneExists } from '#features/media/server/not-found.ts'
import { listOwnedSizes, lockMedia } from '#features/media/server/store.ts'
import { conflict } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import { waitFor } from '#platform/server/events/wait-for.ts'
import { startRun } from '#platform/server/runs/runs.ts'
import { findRun, type NewRun } from '#platform/server/runs/runs-store.ts'
import type { AnalysisServices } from '../analyze-media.ts'

/** A longer run continues without its request; events report the progress. */
const maxWaitMs = 50_000

type Wanted = NewRun & { ownerId: number; mediaIds: number[] }

/** Starts a run on the owner's items. Resolves when it has ended or is known to take longer. */
export async function startOnItems({ db, jobs, events }: AnalysisServices, { mediaIds, ...wanted }: Wanted) {
  const { ownerId } = wanted
  const ids = [...new Set(mediaIds)]
  const starting = db.transaction().execute(async (transaction) => {
    const owned = await listOwnedSizes(transaction, ownerId, ids)
    // Locked, so that all of them still exist when the run is inserted.
    const held = new Set(await lockMedia(transaction, [...owned.keys()]))
    const missing = ids.filter((id) => !held.has(id)).map(missingMedia)
    throwIfNoneExists({ changed: [...held], errors: missing })
    const items = ids.filter((id) => held.has(id)).map((mediaId) => ({ mediaId }))
    const { id } = await startRun(transaction, jobs, wanted, items)
    return { id, missing }
  })
  const started = await starting.catch((error) => {
    throw dialectOf(db).isUniqueViolation(error) ? conflict('This run has already started.') : error
  })
  const isOver = async () => (await findRun(db, started.id))?.status !== 'running'
  await waitFor({ events, ownerId, withinMs: maxWaitMs }, isOver)
  return started
}
