import type { Kysely } from 'kysely'
import { z } from 'zod'
import { changeSetting, loadSetting } from '#platform/server/db/settings.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { isWorkedOn } from '#platform/server/jobs/store.ts'
import { MigrationDirection } from '../contract.ts'

const Run = z.object({
  direction: MigrationDirection.catch('out'),
  state: z.enum(['running', 'stopping', 'ended']),
  migrated: z.number(),
  failed: z.number(),
  errors: z.array(z.string()),
  /** The job that works on it, or did so last. */
  jobId: z.number().optional(),
})
type Run = z.infer<typeof Run>

const name = 'imagekit-run'
export const noRun: Run = { direction: 'out', state: 'ended', migrated: 0, failed: 0, errors: [] }

export async function loadRun(db: Db): Promise<Run> {
  const value = await loadSetting(db, name)
  return value ? Run.parse(JSON.parse(value)) : noRun
}

/**
 * Says whether the run is this job's now. Two may be at hand, as when somebody asks once more: in two processes they would
 * send the same files.
 */
export async function takeRun(db: Kysely<Tables>, job: { kind: string; id: number }) {
  const { jobId } = await loadRun(db)
  const isAnothers = jobId !== undefined && jobId !== job.id && (await isWorkedOn(db, { kind: job.kind, id: jobId }))
  if (isAnothers) return false
  await changeRun(db, (now) => (now.jobId === jobId ? { jobId: job.id } : {}))
  return (await loadRun(db)).jobId === job.id
}

/** Read and written as one: of a word to stop and a file that is counted at the same moment, neither gets lost. */
export async function changeRun(db: Kysely<Tables>, change: (now: Run) => Partial<Run>) {
  const run = { name, initial: JSON.stringify(noRun) }
  await db.transaction().execute((transaction) =>
    changeSetting(transaction, run, (value) => {
      const now = Run.parse(JSON.parse(value))
      return JSON.stringify({ ...now, ...change(now) })
    }),
  )
}
