import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { FastifyInstance } from 'fastify'
import pino, { type Logger } from 'pino'
import { buildApp } from '#app/server/build-app.ts'
import { createServices, type Services } from '#app/server/services.ts'
import { startWork } from '#app/server/start-work.ts'
import { loadConfig } from '#platform/server/config.ts'
import { addAccount } from './accounts.ts'
import { createTestDatabase } from './postgres.ts'
import { shareCleaner, shareImageEngine } from './shared-engines.ts'
import { copyTemplateDatabase } from './test-database.ts'
import { TestUser } from './test-user.ts'

export type TestApp = {
  app: FastifyInstance
  services: Services
  directory: string
  /** Adds a user and signs them in; the first one is the administrator. */
  register(username?: string): Promise<TestUser>
  /** A client without a session. */
  visitor(): TestUser
  /** Waits until no background work is queued or running. */
  settled(): Promise<void>
  /** Starts a second process on the same data. */
  startSibling(): Promise<{ app: FastifyInstance; services: Services }>
  /** Restarts on the same data. */
  restart(settings?: Record<string, string>): Promise<void>
}

export type TestOptions = Parameters<typeof buildApp>[1] & {
  /** Adds things that only a test needs, such as a route that fails. */
  prepare?: (app: FastifyInstance, services: Services) => void
  log?: Logger
  /** Runs schedules and delayed jobs, as in production. */
  hasSchedules?: boolean
}

let people = 0

/** A new product with a new database and folder, on PostgreSQL if the run asks for it, otherwise on SQLite. */
export async function testApp(
  context: TestContext,
  settings: Record<string, string> = {},
  options: TestOptions = {},
): Promise<TestApp> {
  const directory = await mkdtemp(join(tmpdir(), 'albumen-test-'))
  const database = await createTestDatabase()
  if (!database) await copyTemplateDatabase(directory)
  const environment = { DATA_DIR: directory, LOG_LEVEL: 'silent', AI_LOCAL: '0', ...database?.settings, ...settings }
  let stopLast = async () => {}
  context.after(async () => {
    await stopLast()
    await database?.drop()
    await rm(directory, { recursive: true, force: true })
  })
  let running = await start(environment, options)
  const siblings: (typeof running)[] = []
  stopLast = async () => {
    for (const each of [...siblings, running]) await stop(each)
  }
  return {
    get app() {
      return running.app
    },
    get services() {
      return running.services
    },
    directory,
    visitor: () => new TestUser(() => running.app),
    async register(username = `person${++people}`) {
      const user = new TestUser(() => running.app)
      const { id, sessionToken } = await addAccount(running.services.db, username)
      user.id = id
      user.cookies.set('albumen_session', sessionToken)
      return user
    },
    async startSibling() {
      // On SQLite, two apps in one thread cannot wait for each other's transactions, so the jobs of each start end first.
      await running.services.jobs.idle()
      const sibling = await start(environment, options)
      siblings.push(sibling)
      await sibling.services.jobs.idle()
      return sibling
    },
    settled: () => running.services.jobs.idle(),
    async restart(changed = {}) {
      await stop(running)
      running = await start({ ...environment, ...changed }, options)
    },
  }
}

async function start(
  environment: Record<string, string>,
  { prepare, log, hasSchedules = false, ...options }: TestOptions,
) {
  const services = await createServices(
    loadConfig(environment),
    log ?? pino({ level: environment.LOG_LEVEL ?? 'silent' }),
    { images: shareImageEngine(), cleaner: shareCleaner() },
  )
  try {
    const app = await buildApp(services, options)
    prepare?.(app, services)
    await app.ready()
    await startWork(services)
    if (!hasSchedules) await postponeSchedules(services)
    return { app, services }
  } catch (error) {
    await services.close()
    throw error
  }
}

/** On a slow machine, schedules would otherwise run in the middle of a test. */
async function postponeSchedules({ db }: Services) {
  const inAYear = Date.now() + 365 * 24 * 3600_000
  await db.updateTable('schedules').set({ next_run_at: inAYear }).execute()
  await db.updateTable('jobs').set({ run_at: inAYear }).where('key', 'in', ['first', 'settled']).execute()
}

async function stop({ app, services }: Awaited<ReturnType<typeof start>>) {
  await services.jobs.stop(0)
  await app.close()
  await services.close()
}
