import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rows } from '../tests/bench/rows.ts'
import { type Measurement, printMeasurements, recordMeasurements } from '../tests/support/measurements.ts'

// `npm run bench`: the product beside the bare limit of what it does, row by row. `npm run bench -- ingest search` measures
// only these, prints them, and leaves docs/measurements.md as it is.
const wanted = process.argv.slice(2)
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
// Kept between runs only for whoever works on the bench itself.
const kept = process.env.BENCH_FOLDER
const folder = kept ?? (await mkdtemp(join(tmpdir(), 'albumen-bench-')))
await mkdir(folder, { recursive: true })

/**
 * In a process of its own: whoever has asked a million times before asks more slowly, and a thousand visitors who come one by
 * one cost the product more than those who come at once. What breaks off says so there, and the other rows are still measured.
 */
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
  beside: '',
  figure: 'could not be measured',
  toReach: 'to be measured',
  isReached: false,
})

const measured: Measurement[] = []
try {
  for (const name of wanted.length > 0 ? wanted : Object.keys(rows)) {
    process.stdout.write(`\n== ${name}\n`)
    const found = await measure(name)
    for (const { what, figure, beside } of found) process.stdout.write(`${what}: ${figure} (${beside})\n`)
    measured.push(...found)
  }
} finally {
  if (!kept) await rm(folder, { recursive: true, force: true })
}
if (wanted.length === 0) await recordMeasurements('npm run bench', measured)
else printMeasurements('npm run bench', measured)
process.exit(measured.every(({ isReached }) => isReached) ? 0 : 1)
