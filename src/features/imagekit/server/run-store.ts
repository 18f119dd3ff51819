import type { Kysely } from 'kysely'
import { z } from 'zod'
import { changeSetting, loadSetting } from '#platform/server/db/settings.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { MigrationDirection } from '../contract.ts'

const Run = z.object({
  direction: MigrationDirection.catch('out'),
  state: z.enum(['running', 'stopping', 'ended']),
  migrated: z.number(),
  failed: z.number(),
  errors: z.array(z.string()),
})
type Run = z.infer<typeof Run>

const name = 'imagekit-run'
export const noRun: Run = { direction: 'out', state: 'ended', migrated: 0, failed: 0, errors: [] }

export async function loadRun(db: Db): Promise<Run> {
  const value = await loadSetting(db, name)
  return value ? Run.parse(JSON.parse(value)) : noRun
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
