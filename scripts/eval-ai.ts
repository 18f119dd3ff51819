import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { evaluate, formatTotals, formatWorst, totalsOf } from '#engines/ai/evaluation/evaluate.ts'
import { isFrozen, Labels } from '#engines/ai/evaluation/labels.ts'
import { createLocalProvider } from '#engines/ai/local/local-provider.ts'
import { createOpenAiProvider } from '#engines/ai/openai/openai-provider.ts'
import { createImageEngine, type ImageEngine } from '#engines/images/image-engine.ts'
import { loadConfig } from '#platform/server/config.ts'
import { readEnvFile } from '#platform/server/env-file.ts'
import { cpuMsOf } from '#tests/support/process-usage.ts'

/**
 * `npm run eval:ai` measures how well the AI tags the pictures in `evaluation`, for the half that may be tuned on and the
 * frozen half. `-- <folder>` measures on other pictures; their labels are `<folder>/labels.json` in the same form, or a
 * list of tags for each file name. `--worst` lists what was wrong and missed, but never of the frozen half.
 */
const usage = 'Usage: npm run eval:ai -- [<folder>] [--provider local|openai] [--labels <file>] [--worst]'

type Task = { pictures: string; labels: string; provider: string; isOwnSet: boolean; showsWorst: boolean }

async function run({ pictures, labels: file, provider: name, isOwnSet, showsWorst }: Task) {
  const labels = Labels.parse(JSON.parse(await readFile(file, 'utf8')))
  const images = createImageEngine()
  const provider = openProvider(name, images)
  const clock = openClock()
  try {
    const health = await provider.health()
    if (!health.ok) throw new Error(health.message)
    const scores = await evaluate({
      provider,
      labels,
      pathOf: (file) => join(pictures, file),
      clockMs: clock.read,
      onPicture: ({ file }) => console.error(`analyzed ${file}`),
    })
    const tuning = scores.filter(({ file }) => !isOwnSet || !isFrozen(file))
    const frozen = scores.filter((score) => !tuning.includes(score))
    console.log(`${provider.name}: ${provider.model}, version ${provider.version}\n`)
    if (showsWorst) console.log(`${formatWorst(tuning)}\n`)
    const isHalved = frozen.length > 0
    const parts: Parameters<typeof formatTotals>[0] = [[isHalved ? 'tuning' : 'all', totalsOf(tuning)]]
    if (isHalved) parts.push(['frozen', totalsOf(frozen)])
    console.log(formatTotals(parts, clock.unit))
  } finally {
    await Promise.all([provider.close(), images.close()])
  }
}

/** The models run in a child process, and only Linux tells the CPU time of a child that has not ended. */
function openClock() {
  if (process.platform !== 'linux') return { unit: 'seconds', read: () => performance.now() }
  return { unit: 'CPU seconds', read: () => cpuMsOf(process.pid) }
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
    options: {
      provider: { type: 'string', default: 'local' },
      labels: { type: 'string' },
      worst: { type: 'boolean', default: false },
    },
  })
  const own = fileURLToPath(new URL('../evaluation', import.meta.url))
  const folder = positionals[0] === undefined ? own : resolve(positionals[0])
  const isOwnSet = folder === own
  await run({
    pictures: isOwnSet ? join(own, 'pictures') : folder,
    labels: values.labels ?? join(folder, 'labels.json'),
    provider: values.provider,
    isOwnSet,
    showsWorst: values.worst,
  })
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
