import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { rows } from '../tests/bench/rows.ts'
import { type Measurement, printMeasurements, recordMeasurements } from '../tests/support/measurements.ts'

// `npm run bench` compares the product with the bare tools that it uses, row by row. `npm run bench -- ingest search`
// measures only these rows. `--record` writes the figures to docs/measurements.md.
const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { record: { type: 'boolean', default: false } },
})
const unknown = wanted.filter((name) => !(name in rows))
if (unknown.length > 0) {
  console.error(`Expected rows out of ${Object.keys(rows).join(', ')}, received "${unknown.join(' ')}"`)
  process.exit(2)
}
if (process.platform !== 'linux') {
  console.error('CPU time and memory over all processes are read from /proc, so the bench runs on Linux only.')
  process.exit(2)
}

const measureRow = fileURLToPath(new URL('../tests/bench/measure-row.ts', import.meta.url))
// Set while working on the benchmarks: generated libraries are kept between runs.
const kept = process.env.BENCH_FOLDER
const folder = kept ?? (await mkdtemp(join(tmpdir(), 'albumen-bench-')))
await mkdir(folder, { recursive: true })

/** Each row in a new process, since what an earlier row left in memory would slow it. The other rows survive a crash. */
async function measure(name: string): Promise<Measurement[]> {
  let found: Measurement[] | undefined
  const child = fork(measureRow, [name, folder]).on('message', (message) => {
    found = message as Measurement[]
  })
  await once(child, 'exit')
  return found ?? [unmeasured(name)]
}

const unmeasured = (name: string): Measurement => ({
  what: name,
  context: '',
  figure: 'could not be measured',
  toReach: 'to be measured',
  isReached: false,
})

const measured: Measurement[] = []
try {
  for (const name of wanted.length > 0 ? wanted : Object.keys(rows)) {
    process.stdout.write(`\n== ${name}\n`)
    const found = await measure(name)
    for (const { what, figure, context } of found) process.stdout.write(`${what}: ${figure} (${context})\n`)
    measured.push(...found)
  }
} finally {
  if (!kept) await rm(folder, { recursive: true, force: true })
}
if (values.record) await recordMeasurements('npm run bench', measured)
else printMeasurements('npm run bench', measured)
process.exit(measured.every(({ isReached }) => isReached) ? 0 : 1)
