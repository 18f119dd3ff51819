import { parseArgs } from 'node:util'
import { installModels } from '#engines/ai/models/install-models.ts'
import { loadConfig } from '#platform/server/config.ts'
import { readEnvFile } from '#platform/server/env-file.ts'

/** `npm run models [-- --dir <directory>]`: fetches, checks and converts the models of the built-in AI. */
try {
  const { values } = parseArgs({ options: { dir: { type: 'string' } } })
  readEnvFile()
  const directory = values.dir ?? loadConfig().ai.modelsDir
  await installModels({
    directory,
    onProgress: ({ done, total, message }) => console.log(`[${done}/${total}] ${message}`),
  })
  console.log(`The AI models are ready in ${directory}`)
} catch (error) {
  console.error(`The AI models could not be installed. ${(error as Error).message}`)
  process.exitCode = 1
}
