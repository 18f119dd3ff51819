import { startCluster } from '../tests/scale/cluster.ts'
import { rows } from '../tests/scale/rows.ts'
import { type Measurement, printMeasurements, recordMeasurements } from '../tests/support/measurements.ts'

// `npm run scale`: PostgreSQL, an S3-compatible store and three processes of the product behind a proxy, all from npm;
// each promise of several processes is a row with its figure. `npm run scale -- jobs restore` shows only these, and leaves
// docs/measurements.md as it is.
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in rows))
if (unknown.length > 0) {
  console.error(`Expected rows out of ${Object.keys(rows).join(', ')}, received "${unknown.join(' ')}"`)
  process.exit(2)
}

const measured: Measurement[] = []
const cluster = await startCluster()
let isEnding = false
// Whatever ends this script also ends what it has started.
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
// What was cut off is no measurement.
if (isEnding) process.exit(1)
if (wanted.length === 0) await recordMeasurements('npm run scale', measured)
else printMeasurements('npm run scale', measured)
process.exit(measured.every(({ isReached }) => isReached) ? 0 : 1)

/** A promise that was broken is a line of its own: the others still have something to say. */
async function measure(name: string): Promise<Measurement[]> {
  try {
    return await rows[name]!(cluster)
  } catch (error) {
    console.error(error)
    const figure = error instanceof Error ? error.message.split('\n')[0]! : String(error)
    return [{ what: name, beside: '', figure, toReach: 'to hold', isReached: false }]
  }
}
