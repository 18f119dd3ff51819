import { setTimeout as delay } from 'node:timers/promises'
import { counted, type Fault, mebibytes } from './fault.ts'
import { openLibrary } from './library.ts'
import { descriptorsOf } from './process-tree.ts'
import { startDailyLife } from './soak-load.ts'
import { tell } from './tell.ts'

const preload = new URL('./preloads/live-memory.ts', import.meta.url)
const sampleMs = 10_000
const perHourBytes = 2 * 2 ** 20
/** Two looks at the very same process differ by this much. */
const noiseBytes = 2 ** 20
const residentNoiseBytes = 32 * 2 ** 20
/** Caches fill and children come up in this part of the time. */
const warmUpShare = 1 / 3

type Sample = { atMs: number; liveBytes: number; residentBytes: number; files: number; sockets: number }

/** An ordinary day in a hurry: memory and descriptors stay where they were after the first third. */
export const soak: Fault = async ({ minutes }) => {
  await using library = await openLibrary({ preload })
  const life = await startDailyLife(library)
  const samples: Sample[] = []
  const end = performance.now() + minutes * 60_000
  while (performance.now() < end) {
    await delay(sampleMs)
    const { liveBytes, residentBytes } = await tell<Sample>(library.server, {})
    const open = descriptorsOf(library.server.pid)
    const sockets = open.filter((name) => name === 'socket').length
    samples.push({ atMs: performance.now(), liveBytes, residentBytes, files: open.length - sockets, sockets })
  }
  const { done, refused } = await life.stop()
  const settled = samples.slice(Math.floor(samples.length * warmUpShare))
  const hours = (settled.at(-1)!.atMs - settled[0]!.atMs) / 3600_000
  const live = slopePerHour(settled, ({ liveBytes }) => liveBytes)
  const [early, late] = halves(settled)
  const resident = highest(late, 'residentBytes') - highest(early, 'residentBytes')
  const files = highest(late, 'files') - highest(early, 'files')
  const sockets = highest(late, 'sockets') - highest(early, 'sockets')
  return [
    counted('soak: memory and descriptors stay flat', {
      figure: `${minutes} minutes, ${done} actions, ${refused.length} refused${refused.length > 0 ? ` (such as ${refused[0]})` : ''}; live memory ${signed(live)}/h around ${mebibytes(settled.at(-1)!.liveBytes)}, resident ${signed(resident)} between the halves; descriptors ${signedCount(files)}, sockets ${signedCount(sockets)}`,
      toReach: 'below 2 MiB/h (and 1 MiB of noise), descriptors stable',
      isReached:
        refused.length === 0 &&
        live * hours <= perHourBytes * hours + noiseBytes &&
        resident <= residentNoiseBytes &&
        files <= 2 &&
        sockets <= 8,
    }),
  ]
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
const signed = (bytes: number) => `${bytes < 0 ? '−' : '+'}${(Math.abs(bytes) / 2 ** 20).toFixed(1)} MiB`
const signedCount = (count: number) => (count > 0 ? `+${count}` : String(count))
