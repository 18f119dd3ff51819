import { parseArgs } from 'node:util'
import { startCluster } from '../tests/scale/cluster.ts'
import { rows } from '../tests/scale/rows.ts'
import { type Measurement, printMeasurements, recordMeasurements } from '../tests/support/measurements.ts'

// `npm run scale` starts PostgreSQL, an S3-compatible store and three processes of the product behind a proxy, all from npm,
// and checks each promise about several processes. `npm run scale -- jobs restore` checks only these. `--record` writes the
// figures to docs/measurements.md.
const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { record: { type: 'boolean', default: false } },
})
const unknown = wanted.filter((name) => !(name in rows))
if (unknown.length > 0) {
  console.error(`Expected rows out of ${Object.keys(rows).join(', ')}, received "${unknown.join(' ')}"`)
  process.exit(2)
}

const measured: Measurement[] = []
const cluster = await startCluster()
let isEnding = false
// The cluster must end with this script.
for (const event of ['SIGINT', 'SIGTERM', 'uncaughtException']) {
  process.once(event, async (reason) => {
    isEnding = true
    console.error(reason)
    await cluster[Symbol.asyncDispose]()
    process.exit(1)
  })
}
try {
  for (const name of wanted.length > 0 ? wanted : Object.keys(rows)) {
    if (isEnding) break
    const begin = performance.now()
    process.stdout.write(`== ${name}\n`)
    const found = await measure(name)
    for (const { what, figure, isReached } of found)
      process.stdout.write(`${isReached ? '✔' : '✖'} ${what}: ${figure}\n`)
    process.stdout.write(`== ${name} took ${((performance.now() - begin) / 1000).toFixed(0)} s\n`)
    measured.push(...found)
  }
} finally {
  await cluster[Symbol.asyncDispose]()
}
// An interrupted run is no measurement.
if (isEnding) process.exit(1)
if (values.record) await recordMeasurements('npm run scale', measured)
else printMeasurements('npm run scale', measured)
process.exit(measured.every(({ isReached }) => isReached) ? 0 : 1)

/** A broken promise is a line of its own, and the other rows are still measured. */
async function measure(name: string): Promise<Measurement[]> {
  try {
    return await rows[name]!(cluster)
  } catch (error) {
    console.error(error)
    const figure = error instanceof Error ? error.message.split('\n')[0]! : String(error)
    return [{ what: name, context: '', figure, toReach: 'to hold', isReached: false }]
  }
}
