import type { Db } from '#platform/server/db/tables.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { removeExpiredLimits } from '#platform/server/rate-limits.ts'
import { removeExpiredSessions } from './sessions.ts'

const tidyKind = 'tidy-accounts'

export async function workOnAccounts({ db, jobs }: { db: Db; jobs: Jobs }) {
  jobs.work(tidyKind, { concurrency: 1 }, async () => {
    await removeExpiredSessions(db)
    await removeExpiredLimits(db)
  })
  await jobs.schedule(tidyKind, '17 * * * *')
}
