import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { evaluate, formatTotals, formatWorst, totalsOf } from '#engines/ai/evaluation/evaluate.ts'
import { isFrozen, Labels } from '#engines/ai/evaluation/labels.ts'
import { formatAnswers, formatFailedAnswers, Queries } from '#engines/ai/evaluation/queries.ts'
import { createLocalProvider } from '#engines/ai/local/local-provider.ts'
import { createOpenAiProvider } from '#engines/ai/openai/openai-provider.ts'
import { createImageEngine, type ImageEngine } from '#engines/images/image-engine.ts'
import { loadConfig } from '#platform/server/config.ts'
import { readEnvFile } from '#platform/server/env-file.ts'
import { evaluateSearch } from '#tests/support/evaluate-search.ts'
import { cpuMsOf } from '#tests/support/process-usage.ts'

/**
 * `npm run eval:ai` measures how well the AI tags the pictures in `evaluation` and how well a search finds them, for the
 * half that may be tuned on and the frozen half. `--only tags` or `--only search` measures one of them. `--worst` lists
 * what was wrong and missed, but never of the frozen half. `-- <folder>` measures tags on other pictures; their labels are
 * `<folder>/labels.json` in the same form, or a list of tags for each file name.
 */
const usage =
  'Usage: npm run eval:ai -- [<folder>] [--provider local|openai] [--labels <file>] [--only tags|search] [--worst]'

const own = fileURLToPath(new URL('../evaluation', import.meta.url))

type Task = { pictures: string; labels: string; provider: string; isOwnSet: boolean; showsWorst: boolean }

async function measureTags({ pictures, labels: file, provider: name, isOwnSet, showsWorst }: Task) {
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

async function measureSearch({ pictures, labels: file, showsWorst }: Task) {
  const labels = Labels.parse(JSON.parse(await readFile(file, 'utf8')))
  const queries = Queries.parse(JSON.parse(await readFile(join(own, 'queries.json'), 'utf8')))
  const answers = await evaluateSearch({
    folder: pictures,
    files: Object.keys(labels),
    queries,
    modelsDirectory: loadConfig().ai.modelsDir,
    onPicture: (file) => console.error(`uploaded ${file}`),
  })
  if (showsWorst) console.log(`\n${formatFailedAnswers(answers)}`)
  console.log(`\n${formatAnswers(answers)}`)
}

/** The models run in a child process, and only Linux tells the CPU time of a child that has not ended. */
function openClock() {
  if (process.platform !== 'linux') return { unit: 'seconds', read: () => performance.now() }
  return { unit: 'CPU seconds', read: () => cpuMsOf(process.pid) }
}

function openProvider(name: string, { shrink }: ImageEngine) {
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
      only: { type: 'string' },
      worst: { type: 'boolean', default: false },
    },
  })
  readEnvFile()
  const folder = positionals[0] === undefined ? own : resolve(positionals[0])
  const isOwnSet = folder === own
  const task = {
    pictures: isOwnSet ? join(own, 'pictures') : folder,
    labels: values.labels ?? join(folder, 'labels.json'),
    provider: values.provider,
    isOwnSet,
    showsWorst: values.worst,
  }
  if (values.only !== 'search') await measureTags(task)
  // The queries belong to the own pictures, and a search by meaning uses the built-in AI's results.
  if (values.only !== 'tags' && isOwnSet && values.provider === 'local') await measureSearch(task)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
