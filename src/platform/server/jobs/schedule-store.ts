import { CronExpressionParser } from 'cron-parser'
import type { Kysely } from 'kysely'
import { dialectOf } from '../db/dialect.ts'
import type { Tables } from '../db/tables.ts'
import { insertJob } from './store.ts'

function nextRunAt(cron: string, after: number) {
  return CronExpressionParser.parse(cron, { currentDate: new Date(after), tz: 'UTC' })
    .next()
    .getTime()
}

/**
 * An existing schedule with the same cron expression keeps its next run, so a restart neither skips nor repeats one. A next
 * run that is later than the expression allows was stored while the clock was wrong, and is corrected.
 */
export async function saveSchedule(db: Kysely<Tables>, kind: string, cron: string, now: number) {
  const next = nextRunAt(cron, now)
  await db
    .insertInto('schedules')
    .values({ kind, cron, next_run_at: next })
    .onConflict((conflict) =>
      conflict
        .column('kind')
        .doUpdateSet({ cron, next_run_at: next })
        .where((where) => where.or([where('schedules.cron', '!=', cron), where('schedules.next_run_at', '>', next)])),
    )
    .execute()
}

/**
 * Moves each due schedule to its next run and enqueues its job in the same transaction, so that one process wins each run. A
 * schedule whose last job is still running in any process waits for its end.
 */
export async function enqueueDueSchedules(db: Kysely<Tables>, now: number) {
  const due = await db
    .selectFrom('schedules')
    .selectAll()
    .where('next_run_at', '<=', now)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('jobs')
            .select('jobs.id')
            .whereRef('jobs.kind', '=', 'schedules.kind')
            .where('jobs.status', '=', 'active')
            .where('jobs.leased_until', '>=', dialectOf(db).now()),
        ),
      ),
    )
    .execute()
  for (const { kind, cron, next_run_at } of due) {
    await db.transaction().execute(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('schedules')
        .set({ next_run_at: nextRunAt(cron, now) })
        .where('kind', '=', kind)
        .where('next_run_at', '=', next_run_at)
        .executeTakeFirst()
      if (numUpdatedRows > 0n) await insertJob(transaction, kind, {}, { key: 'scheduled' })
    })
  }
}

/** After the clock was set back, schedules do not wait for a time that only the wrong clock would have reached soon. */
export async function realignSchedules(db: Kysely<Tables>, now: number) {
  const schedules = await db.selectFrom('schedules').selectAll().where('next_run_at', '>', now).execute()
  for (const { kind, cron } of schedules) await saveSchedule(db, kind, cron, now)
}
