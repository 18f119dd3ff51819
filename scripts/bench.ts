import { endRunning } from '../tests/bench/product.ts'
import { rows } from '../tests/bench/rows.ts'
import { openWorkshop } from '../tests/bench/workshop.ts'
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

/** The other rows still have something to say. */
function unmeasured(name: string, error: Error): Measurement {
  console.error(error)
  return { what: name, beside: '', figure: 'could not be measured', toReach: 'to be measured', isReached: false }
}

const measured: Measurement[] = []
const workshop = await openWorkshop()
try {
  for (const name of wanted.length > 0 ? wanted : Object.keys(rows)) {
    process.stdout.write(`\n== ${name}\n`)
    const found = await rows[name]!(workshop).catch((error: Error) => [unmeasured(name, error)])
    await endRunning()
    for (const { what, figure, beside } of found) process.stdout.write(`${what}: ${figure} (${beside})\n`)
    measured.push(...found)
  }
} finally {
  await workshop.close()
}
if (wanted.length === 0) await recordMeasurements('npm run bench', measured)
else printMeasurements('npm run bench', measured)
process.exit(measured.every(({ isReached }) => isReached) ? 0 : 1)
