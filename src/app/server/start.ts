import type { AddressInfo } from 'node:net'
import { hasAccounts } from '#features/auth/server/store.ts'
import { loadConfig, settingsFromArguments } from '#platform/server/config.ts'
import { describeMisspelledSettings, readEnvFile } from '#platform/server/env-file.ts'
import { limitConnections } from '#platform/server/http/connection-limits.ts'
import { openLog } from '#platform/server/log.ts'
import { makeWritableFolder } from '#platform/server/make-folder.ts'
import { collectAfterStart, tuneGarbageCollection } from '#platform/server/memory.ts'
import { hideSecrets, withoutSecrets } from '#platform/server/secrets.ts'
import { buildApp } from './build-app.ts'
import { greet } from './greeting.ts'
import { beOnlyProcess } from './only-process.ts'
import { createServices, type Services } from './services.ts'
import { explainStartFailure } from './start-failure.ts'
import { startWork } from './start-work.ts'
import { stop } from './stop.ts'

const mostConnections = 2000
const drainMs = 10_000
const endAfterMs = 15_000

let isStopping = false

try {
  await start(readEnvFile())
} catch (error) {
  // A signal during the start closes what the rest of the start needs.
  if (!isStopping) fail(error)
}

function fail(error: unknown) {
  process.stderr.write(`Albumen could not start: ${withoutSecrets(explainStartFailure(error))}\n`)
  process.exit(1)
}

async function start(namesInFile: string[]) {
  tuneGarbageCollection()
  const config = loadConfig(undefined, settingsFromArguments(process.argv.slice(2)))
  hideSecrets(config)
  const { log, say } = openLog(config.logLevel)
  for (const line of describeMisspelledSettings(namesInFile)) log.warn(line)
  await makeWritableFolder(config.dataDir)
  if (!config.databaseUrl) {
    beOnlyProcess(config.dataDir, () =>
      log.warn('DATA_DIR is in use by another Albumen process; waiting for it to exit'),
    )
  }
  const services = await createServices(config, log)
  const app = await buildApp(services)
  limitConnections(app.server, mostConnections)
  stopOnSignals(app, services)
  if (config.publicUrl?.startsWith('https:') && config.trustProxy.length === 0) {
    log.warn('PUBLIC_URL is https, but TRUST_PROXY is empty: all visitors appear to share the proxy address')
  }
  await app.listen({ port: config.port, host: config.host })
  await startWork(services)
  const { port } = app.server.address() as AddressInfo
  say(greet(config, { port, isNew: !(await hasAccounts(services.db)) }))
  collectAfterStart()
}

/** SIGTERM lets open requests finish; a second one, or 15 seconds, ends the process regardless. */
function stopOnSignals(app: Awaited<ReturnType<typeof buildApp>>, services: Services) {
  const onSignal = async () => {
    if (isStopping) process.exit(1)
    isStopping = true
    setTimeout(() => process.exit(1), endAfterMs).unref()
    await stop(app, services, drainMs)
    process.exit(0)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}
