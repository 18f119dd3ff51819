import { setTimeout as delay } from 'node:timers/promises'
import { counted, type Fault, mebibytes, percentile } from './fault.ts'
import { openLibrary } from './library.ts'
import { descriptorsOf } from './process-tree.ts'
import { startDailyLife } from './soak-load.ts'
import { tell } from './tell-preload.ts'

const preload = new URL('./preloads/live-memory.ts', import.meta.url)
const sampleMs = 10_000
const perHourBytes = 2 * 2 ** 20
const residentNoiseBytes = 32 * 2 ** 20
/** Caches fill, code is compiled and children come up; it is not counted in the minutes. */
const warmUpMs = 3 * 60_000
const promisedMinutes = 30

type Sample = { atMs: number; liveBytes: number; residentBytes: number; files: number; sockets: number }

/** An ordinary day in a hurry: memory and descriptors stay where they were when it was warm. */
export const soak: Fault = async ({ minutes }) => {
  await using library = await openLibrary({ preload })
  const life = await startDailyLife(library)
  await delay(Math.min(warmUpMs, minutes * 20_000))
  life.calmDown()
  const samples: Sample[] = []
  for (const end = performance.now() + minutes * 60_000; performance.now() < end; await delay(sampleMs))
    samples.push(await life.whileResting(takeSample))
  const { done, refused } = await life.stop()
  const live = slopePerHour(samples, ({ liveBytes }) => liveBytes)
  const [early, late] = halves(samples)
  const resident = highest(late, 'residentBytes') - highest(early, 'residentBytes')
  const files = highest(late, 'files') - highest(early, 'files')
  // Connections that wait for the next request come and go; more of them all the time would be kept by mistake.
  const sockets = middle(late, 'sockets') - middle(early, 'sockets')
  return [
    counted('soak: memory and descriptors stay flat', {
      figure: `${minutes} minutes, ${done} actions, ${refused.length} refused${refused.length > 0 ? ` (such as ${refused[0]})` : ''}; live memory ${signed(live)}/h around ${mebibytes(samples.at(-1)!.liveBytes)} (a line through ${samples.length} looks after collecting), resident ${signed(resident)} between the halves; descriptors ${signedCount(files)}, sockets ${signedCount(sockets)}`,
      toReach: 'below 2 MiB/h, descriptors stable, over 30 minutes',
      isReached:
        minutes >= promisedMinutes &&
        refused.length === 0 &&
        live < perHourBytes &&
        resident <= residentNoiseBytes &&
        files <= 0 &&
        sockets <= 0,
    }),
  ]

  async function takeSample(): Promise<Sample> {
    const { liveBytes, residentBytes } = await tell<Sample>(library.server, {})
    const open = descriptorsOf(library.server.pid)
    const sockets = open.filter((name) => name === 'socket').length
    return { atMs: performance.now(), liveBytes, residentBytes, files: open.length - sockets, sockets }
  }
}

/** Least squares: one odd sample does not tip it. */
function slopePerHour(samples: Sample[], pick: (sample: Sample) => number) {
  const times = samples.map(({ atMs }) => atMs / 3600_000)
  const values = samples.map(pick)
  const [meanTime, meanValue] = [mean(times), mean(values)]
  const covariance = times.reduce((sum, time, index) => sum + (time - meanTime) * (values[index]! - meanValue), 0)
  const variance = times.reduce((sum, time) => sum + (time - meanTime) ** 2, 0)
  return variance === 0 ? 0 : covariance / variance
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const halves = (samples: Sample[]) =>
  [samples.slice(0, samples.length >> 1), samples.slice(samples.length >> 1)] as const
const highest = (samples: readonly Sample[], field: keyof Sample) => Math.max(...samples.map((sample) => sample[field]))
const middle = (samples: readonly Sample[], field: keyof Sample) =>
  percentile(
    samples.map((sample) => sample[field]),
    0.5,
  )
const signed = (bytes: number) => `${bytes < 0 ? '−' : '+'}${(Math.abs(bytes) / 2 ** 20).toFixed(1)} MiB`
const signedCount = (count: number) => (count > 0 ? `+${count}` : String(count))
