import type { Kysely } from 'kysely'
import { z } from 'zod'
import { dialectOf } from '#platform/server/db/dialect.ts'
import { loadSetting } from '#platform/server/db/settings.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { MigrationDirection } from '../contract.ts'

const Run = z.object({
  direction: MigrationDirection.catch('out'),
  state: z.enum(['running', 'stopping', 'ended']),
  migrated: z.number(),
  failed: z.number(),
  errors: z.array(z.string()),
})
export type Run = z.infer<typeof Run>

const name = 'imagekit-run'
export const noRun: Run = { direction: 'out', state: 'ended', migrated: 0, failed: 0, errors: [] }

export async function loadRun(db: Db): Promise<Run> {
  const value = await loadSetting(db, name)
  return value ? Run.parse(JSON.parse(value)) : noRun
}

/** Read and written as one: of a word to stop and a file that is counted at the same moment, neither gets lost. */
export async function changeRun(db: Kysely<Tables>, change: (now: Run) => Partial<Run>) {
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('settings')
      .values({ name, value: JSON.stringify(noRun) })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const row = transaction.selectFrom('settings').select('value').where('name', '=', name)
    const now = Run.parse(JSON.parse((await dialectOf(transaction).holdRows(row).executeTakeFirstOrThrow()).value))
    const value = JSON.stringify({ ...now, ...change(now) })
    await transaction.updateTable('settings').set({ value }).where('name', '=', name).execute()
  })
}
