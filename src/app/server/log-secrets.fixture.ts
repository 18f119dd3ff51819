import { createImageKitEngine } from '#engines/imagekit/imagekit-engine.ts'
import { loadConfig } from '#platform/server/config.ts'
import { openLog } from '#platform/server/log.ts'
import { hideSecrets } from '#platform/server/secrets.ts'

// A process that logs an error of ImageKit, and then each of its arguments.
const config = loadConfig()
hideSecrets(config)
const { log, say } = openLog('info')
await createImageKitEngine(config.imageKit!)
  .check()
  .catch((error) => log.warn({ err: error }, 'imagekit failed'))
for (const argument of process.argv.slice(2)) {
  log.warn({ err: new Error(argument), nested: { list: [argument] }, number: 12345678 }, argument)
  say(argument)
}
