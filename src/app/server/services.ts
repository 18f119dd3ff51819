import { mkdir } from 'node:fs/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '#platform/server/config.ts'
import type { Database } from '#platform/server/db/database.ts'
import { migrate } from '#platform/server/db/migrate.ts'
import { openPostgres } from '#platform/server/db/postgres.ts'
import { openSqlite } from '#platform/server/db/sqlite.ts'
import { createEvents, type Events } from '#platform/server/events/events.ts'
import { createJobs, type Jobs } from '#platform/server/jobs/jobs.ts'

/** Everything that is made once and handed to the features that ask for it. */
export type Services = {
  config: Config
  log: FastifyBaseLogger
  db: Database['db']
  slowReads: Database['slowReads']
  notifications: Database['notifications']
  events: Events
  jobs: Jobs
  close(): Promise<void>
}

export async function createServices(config: Config, log: FastifyBaseLogger): Promise<Services> {
  await mkdir(config.dataDir, { recursive: true })
  const database = config.databaseUrl ? openPostgres(config.databaseUrl) : openSqlite(`${config.dataDir}/albumen.db`)
  try {
    await migrate(database.migrations)
  } catch (error) {
    await database.close()
    throw error
  }
  const { db, slowReads, notifications } = database
  const events = createEvents(notifications)
  const jobs = createJobs({ db, notifications, log, isOnlyProcess: !config.databaseUrl })
  return {
    config,
    log,
    db,
    slowReads,
    notifications,
    events,
    jobs,
    async close() {
      events.close()
      await database.close()
    },
  }
}
