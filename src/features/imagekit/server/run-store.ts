import { z } from 'zod'
import type { Db } from '#platform/server/db/tables.ts'
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
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst()
  return row ? Run.parse(JSON.parse(row.value)) : noRun
}

export async function saveRun(db: Db, run: Run) {
  const value = JSON.stringify(run)
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}
