import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { evaluate, formatTable, Labels } from '#engines/ai/evaluation/evaluate.ts'
import { createLocalProvider } from '#engines/ai/local/local-provider.ts'
import { createOpenAiProvider } from '#engines/ai/openai/openai-provider.ts'
import { createImageEngine, type ImageEngine } from '#engines/images/image-engine.ts'
import { loadConfig } from '#platform/server/config.ts'
import { readEnvFile } from '#platform/server/env-file.ts'

/**
 * `npm run eval:ai -- <folder> [--provider local|openai] [--labels <file>]`: precision, recall and time on a folder of
 * labeled pictures. Labels are `<folder>/labels.json`: a list of tags for each file name, or `{ must, may }`.
 */
const usage = 'Usage: npm run eval:ai -- <folder> [--provider local|openai] [--labels <file>]'

type Options = { provider: string; labels?: string }

async function run(folder: string, { provider: name, labels: file = join(folder, 'labels.json') }: Options) {
  const labels = Labels.parse(JSON.parse(await readFile(file, 'utf8')))
  const images = createImageEngine()
  const provider = openProvider(name, images)
  try {
    const health = await provider.health()
    if (!health.ok) throw new Error(health.message)
    const evaluation = await evaluate({
      provider,
      labels,
      pathOf: (file) => join(folder, file),
      onPicture: ({ file }) => console.error(`analyzed ${file}`),
    })
    console.log(`${provider.name}: ${provider.model}, version ${provider.version}\n\n${formatTable(evaluation)}`)
  } finally {
    await Promise.all([provider.close(), images.close()])
  }
}

function openProvider(name: string, { shrink }: ImageEngine) {
  readEnvFile()
  const { ai } = loadConfig()
  if (name === 'local') return createLocalProvider({ modelsDirectory: ai.modelsDir })
  if (name !== 'openai') throw new Error(usage)
  if (!ai.endpoint) throw new Error('Set AI_BASE_URL and AI_MODEL (and AI_API_KEY) to evaluate an endpoint.')
  return createOpenAiProvider({ ...ai.endpoint, shrink })
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { provider: { type: 'string', default: 'local' }, labels: { type: 'string' } },
  })
  const folder = positionals[0]
  if (!folder) throw new Error(usage)
  await run(resolve(folder), values)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
