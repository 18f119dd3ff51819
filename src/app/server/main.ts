import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import pino from 'pino'
import { ConfigError, loadConfig } from '#platform/server/config.ts'
import { NewerDatabaseError } from '#platform/server/db/migrate.ts'
import { buildApp } from './build-app.ts'
import { createServices, type Services } from './services.ts'
import { startWork } from './start-work.ts'
import { ForeignStorageError } from './storage-marker.ts'

const drainMs = 10_000

try {
  if (existsSync('.env')) process.loadEnvFile('.env')
  await start()
} catch (error) {
  const isExpected = error instanceof ConfigError || error instanceof NewerDatabaseError || error instanceof ForeignStorageError
  const reason = isExpected ? error.message : error
  process.stderr.write(
    `Albumen could not start: ${reason instanceof Error ? (reason.stack ?? reason.message) : reason}\n`,
  )
  process.exit(1)
}

async function start() {
  const config = loadConfig(process.env)
  const log = pino({ level: config.logLevel })
  const services = await createServices(config, log)
  const app = await buildApp(services)
  app.server.maxConnections = 2000
  await app.listen({ port: config.port, host: config.host })
  await startWork(services)
  stopGracefully(app, services)
  const { port } = app.server.address() as AddressInfo
  process.stdout.write(`${await greeting(services, config.publicUrl ?? `http://localhost:${port}`)}\n`)
}

async function greeting({ db }: Services, url: string) {
  const hasAccounts = await db.selectFrom('users').select('id').limit(1).executeTakeFirst()
  return hasAccounts
    ? `Albumen is running. Open ${url}`
    : `Albumen is running. Open ${url} and register: the first account is the administrator.`
}

/** SIGTERM lets open requests finish; a second one, or 15 seconds, ends the process regardless. */
function stopGracefully(app: Awaited<ReturnType<typeof buildApp>>, services: Services) {
  let isStopping = false
  const stop = async () => {
    if (isStopping) process.exit(1)
    isStopping = true
    setTimeout(() => process.exit(1), 15_000).unref()
    await Promise.race([Promise.all([services.jobs.stop(drainMs / 2), app.close()]), delay(drainMs)])
    app.server.closeAllConnections()
    await services.close()
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}
