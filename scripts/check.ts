import { spawn } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { chunksOf } from '#shared/chunks.ts'
import { startPostgres } from '../tests/support/embedded-postgres.ts'
import { listPostgresTests } from '../tests/support/postgres-tests.ts'
import { makeRunFolder } from '../tests/support/run-folder.ts'

// `npm test` and its parts: runs all given steps, and prints the number of passed and failed tests last.
const root = fileURLToPath(new URL('..', import.meta.url))
const bin = `${root}node_modules/.bin/`
/** Far above what any test takes, so that only a test that hangs fails by it. */
const testTimeoutMs = 300_000
/** A file of stories is one test; each story in it has its own limit. */
const storiesTimeoutMs = 6 * testTimeoutMs
/** More than the number of cores, because most tests wait much of their time. */
const tasksAtOnce = Math.max(2, availableParallelism()) + 2
const productFilesPerBatch = 16
const storyFilesPerBatch = 3
const otherFilesPerBatch = 12
/** Reuses compiled code between processes, as the product does. */
const compileCache = `${root}node_modules/.cache/albumen`
const totals = { passed: 0, failed: 0 }
/** The failures, repeated at the end of the output. */
const failures: string[] = []
const failing = '✖ failing tests:'
let postgres: ReturnType<typeof startPostgres> | undefined

type RunOptions = { env?: Record<string, string>; isQuiet?: boolean }
type Task = () => Promise<unknown>

const steps: Record<string, () => Task[]> = {
  types: () => [() => countAsOne(run(`${bin}tsc`, ['-p', '.']))],
  lint: () => [() => countAsOne(run(`${bin}biome`, ['check', '--error-on-warnings', '.']))],
  server: () => testsOf(globSync(['src/**/*.test.ts', 'tests/*.test.ts', 'scripts/*.test.ts'], { cwd: root })),
  postgres: () => testsOf(listPostgresTests(), onPostgres),
  stories: () => testsOf(globSync('tests/e2e/*.test.ts', { cwd: root })),
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in steps))
if (wanted.length === 0 || unknown.length > 0) {
  console.error(`Expected steps out of ${Object.keys(steps).join(', ')}, received "${unknown.join(' ')}"`)
  process.exit(2)
}
// `os.tmpdir` reads this here and in every process that a test starts.
process.env.TMPDIR = await makeRunFolder()
// One queue for all steps, so that the next step begins while the last tests of the previous one still run.
const queue = wanted.flatMap((name) => inStep(name, steps[name]!()))
await Promise.all(
  Array.from({ length: tasksAtOnce }, async () => {
    for (let task = queue.shift(); task; task = queue.shift()) await task()
  }),
)
// If it could not be started, each of its tests has failed with the reason.
await postgres?.then(
  (server) => server.stop(),
  () => {},
)
for (const failure of failures) process.stdout.write(`\n${failure}`)
process.stdout.write(`\n${totals.passed} passed, ${totals.failed} failed\n`)
process.exit(totals.failed > 0 ? 1 : 0)

/** Prints a line when the first task of the step begins, and when the last has ended. */
function inStep(name: string, tasks: Task[]): Task[] {
  let [begin, left] = [0, tasks.length]
  return tasks.map((task) => async () => {
    if (begin === 0) {
      begin = performance.now()
      process.stdout.write(`\n== ${name} begins\n`)
    }
    try {
      await task()
    } catch (error) {
      // The other tasks still have something to say.
      console.error(error)
      totals.failed++
    }
    if (--left === 0) process.stdout.write(`== ${name} took ${((performance.now() - begin) / 1000).toFixed(0)} s\n`)
  })
}

async function onPostgres() {
  postgres ??= startPostgres()
  return { TEST_POSTGRES_URL: (await postgres).url }
}

function testsOf(files: string[], settings: () => Promise<Record<string, string>> = async () => ({})): Task[] {
  if (files.length === 0) throw new Error('Expected test files, received none')
  return batchesOf(files.sort(bySize)).map((batch) => async () => runBatch(batch, await settings()))
}

/** The longest first, so that no long one runs alone at the end. The file size is a good enough estimate. */
function bySize(a: string, b: string) {
  return statSync(root + b).size - statSync(root + a).size
}

/** Loading the product or a browser takes longer than most tests, so one process runs several files. */
function batchesOf(files: string[]) {
  const isOfProduct = (file: string) => /^src[\\/](app|features)[\\/].*\bserver[\\/]/.test(file)
  const {
    product = [],
    story = [],
    other = [],
  } = Object.groupBy(files, (file) => {
    if (isOfProduct(file)) return 'product'
    return isStory(file) ? 'story' : 'other'
  })
  return [
    ...chunksOf(product, productFilesPerBatch),
    ...chunksOf(story, storyFilesPerBatch),
    ...Object.values(Object.groupBy(other, roomOf)).flatMap((room = []) => [...chunksOf(room, otherFilesPerBatch)]),
  ]
}

/** Engines change settings of their process, such as the allowed image formats, so rooms do not share a process. */
function roomOf(file: string) {
  return /^src[\\/]engines[\\/]\w+|^src[\\/]\w+|^\w+/.exec(file)![0]
}

function isStory(file: string) {
  return /^tests[\\/]e2e[\\/]/.test(file)
}

async function runBatch(files: string[], env: Record<string, string>) {
  const timeoutMs = files.every(isStory) ? storiesTimeoutMs : testTimeoutMs
  const { code, text } = await run(process.execPath, ['scripts/run-tests.ts', `${timeoutMs}`, ...files], {
    env,
    isQuiet: true,
  })
  const [output = '', , rest = ''] = text.split(/^(ℹ tests )/m)
  process.stdout.write(output)
  const count = (what: string) => Number(new RegExp(`^ℹ ${what} (\\d+)`, 'm').exec(rest)?.[1] ?? 0)
  totals.passed += count('pass')
  if (code === 0) return
  totals.failed += Math.max(count('fail'), 1)
  failures.push(
    rest.includes(failing) ? rest.slice(rest.indexOf(failing)) : `✖ ${files.join(' ')} ended with ${code}\n`,
  )
}

async function countAsOne(running: Promise<{ code: number }>) {
  const { code } = await running
  totals[code === 0 ? 'passed' : 'failed']++
}

function run(command: string, args: string[], { env = {}, isQuiet = false }: RunOptions = {}) {
  return new Promise<{ code: number; text: string }>((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, NODE_COMPILE_CACHE: compileCache, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      if (!isQuiet) process.stdout.write(chunk)
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, text }))
  })
}
