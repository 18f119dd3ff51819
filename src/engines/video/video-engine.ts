import { rename, rm, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { isAbsolute } from 'node:path'
import { AppError } from '#platform/errors.ts'
import { createProcessPool } from '#platform/server/process-pool/process-pool.ts'
import type { VideoFacts } from './video-facts.ts'
import {
  type ConversionMethod,
  corruptVideo,
  outputSettings,
  type PosterRequest,
  type Sprite,
  type VideoTask,
} from './video-tasks.ts'

/** Every path is absolute. Rejects with `corrupt-video`, `no-video`, `video-too-large` or `video-unavailable`. */
export type VideoEngine = {
  probe(path: string): Promise<VideoFacts>
  /** Writes an upright JPEG of at most 1920 pixels, from near the first tenth. */
  poster(input: { path: string; outputPath: string }): Promise<void>
  /** Returns the facts and writes the poster as a thumbnail, with one decode. */
  process(input: { path: string; posterPath: string }): Promise<VideoFacts>
  /** Writes up to 16 small frames into one JPEG, row by row, for scrubbing. */
  sprite(input: { path: string; outputPath: string }): Promise<Sprite>
  /** Up to `max` (at most 12) different upright JPEGs of at most 1024 pixels, in order. */
  sceneFrames(input: { path: string; directory: string; max: number }): Promise<string[]>
  /** Writes an MP4 that every browser plays, without location, date or camera. */
  makePlayable(input: PlayableRequest): Promise<{ bytes: number; method: ConversionMethod }>
  close(): Promise<void>
}

const maxSceneFrames = 12

/** `env` is passed to the workers; tests use it to remove the decoder. */
export function createVideoEngine({ env }: { env?: Record<string, string> } = {}): VideoEngine {
  const workers = createWorkers(env)
  return {
    probe: async (path) => workers.inspect(absolute({ path })),
    async poster({ path, outputPath }) {
      await workers.inspect({
        ...absolute({ path }),
        poster: { path: outputPath, sizeLimit: outputSettings.posterEdge },
      })
    },
    process: async ({ path, posterPath }) =>
      workers.inspect({ ...absolute({ path }), poster: { path: posterPath, sizeLimit: 'thumbnail' } }),
    sprite: async (input) => workers.sprite(absolute(input)),
    async sceneFrames(input) {
      const max = Math.max(1, Math.min(input.max, maxSceneFrames))
      return workers.sceneFrames({ ...absolute(input), max })
    },
    makePlayable: async (input) => makePlayable(workers, absolute(input)),
    close: () => workers.close(),
  }
}

/** FFmpeg would treat other text as an option or a URL. */
function absolute<T extends { path: string }>(input: T): T {
  if (!isAbsolute(input.path)) throw new TypeError(`Expected an absolute path, received ${input.path}`)
  return input
}

type PlayableRequest = {
  path: string
  outputPath: string
  /** Rises from 0 and ends with 1. */
  onProgress?: (fraction: number) => void
  signal?: AbortSignal
}

type Job = PlayableRequest & { workers: Workers; facts: VideoFacts }

/** Writes to a temporary path and renames after the result was checked, so an incomplete file is never visible. */
async function makePlayable(workers: Workers, request: PlayableRequest) {
  request.signal?.throwIfAborted()
  const facts = await workers.inspect({ path: request.path })
  request.signal?.throwIfAborted()
  const partialPath = `${request.outputPath}.part`
  try {
    const method = await convert({
      ...request,
      workers,
      facts,
      outputPath: partialPath,
      onProgress: onlyRising(request.onProgress),
    })
    const { size } = await stat(partialPath)
    await rename(partialPath, request.outputPath)
    request.onProgress?.(1)
    return { bytes: size, method }
  } finally {
    await rm(partialPath, { force: true })
  }
}

/** Copies the tracks when that is enough; a copy that fails its check is transcoded instead. */
async function convert(job: Job): Promise<ConversionMethod> {
  if (job.facts.playable === 'transcode') return convertBy(job, 'transcode')
  try {
    return await convertBy(job, 'remux')
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'corrupt-video')) throw error
    return convertBy(job, 'transcode')
  }
}

async function convertBy(job: Job, method: ConversionMethod) {
  const { workers, path, outputPath, facts, signal } = job
  await workers.convert({ path, outputPath, method, facts, signal, onProgress: job.onProgress ?? (() => {}) })
  const result = await workers.inspect({ path: outputPath })
  if (result.playable !== 'as-is') throw corruptVideo('This video could not be converted for browsers.')
  // Transcoding a damaged source may end early; a copy must have its full length.
  if (method === 'remux' && result.durationSeconds < facts.durationSeconds * 0.95 - 1)
    throw corruptVideo('This video lost a part of its length.')
  return method
}

/** A second attempt starts at 0 again, and packets do not arrive in display order. */
function onlyRising(onProgress: PlayableRequest['onProgress']) {
  let highest = 0
  return (fraction: number) => {
    if (fraction <= highest) return
    highest = fraction
    onProgress?.(fraction)
  }
}

const entry = new URL('./video-worker.ts', import.meta.url)

type Conversion = {
  path: string
  outputPath: string
  method: ConversionMethod
  facts: VideoFacts
  onProgress(fraction: number): void
  signal?: AbortSignal
}

type Workers = ReturnType<typeof createWorkers>

/**
 * Two pools: probes and images take milliseconds and must never wait for a conversion, which takes minutes, runs
 * alone and has the lowest priority.
 */
function createWorkers(env?: Record<string, string>) {
  const quickTasks = createProcessPool<VideoTask, unknown>({
    entry,
    env,
    size: Math.min(2, availableParallelism()),
    timeoutMs: 30_000,
  })
  const conversions = createProcessPool<VideoTask, unknown>({
    entry,
    env,
    size: 1,
    timeoutMs: 60_000,
    idleMs: 10_000,
    niceness: 19,
  })
  return {
    // The response has the type that `handleTask` returns for that kind.
    inspect: (input: { path: string; poster?: PosterRequest }) =>
      quickTasks.run({ kind: 'inspect', ...input }) as Promise<VideoFacts>,
    sprite: (input: { path: string; outputPath: string }) =>
      quickTasks.run({ kind: 'sprite', ...input }, { timeoutMs: 60_000 }) as Promise<Sprite>,
    sceneFrames: (input: { path: string; directory: string; max: number }) =>
      quickTasks.run({ kind: 'sceneFrames', ...input }, { timeoutMs: 60_000 }) as Promise<string[]>,
    async convert({ path, outputPath, method, facts, onProgress, signal }: Conversion) {
      await conversions.run(
        { kind: 'convert', path, outputPath, method },
        { timeoutMs: conversionTimeoutMs(facts), signal, onProgress: (fraction) => onProgress(Number(fraction)) },
      )
    },
    async close() {
      await Promise.all([quickTasks.close(), conversions.close()])
    },
  }
}

const startMs = 120_000
/** Twenty times the playing time of 1080p at 30 frames per second: one busy core at the lowest priority. */
const msPerSecond = 20_000
const maxMs = 12 * 3_600_000

/** Long enough for any real video on a slow machine, short enough to end a conversion that hangs. */
export function conversionTimeoutMs(
  facts: Pick<VideoFacts, 'durationSeconds' | 'width' | 'height' | 'framesPerSecond'>,
) {
  const sizeFactor = Math.max(1, (facts.width * facts.height) / (1920 * 1080))
  const rateFactor = Math.max(1, facts.framesPerSecond / 30)
  // Timers take whole milliseconds.
  return Math.min(maxMs, Math.ceil(startMs + facts.durationSeconds * msPerSecond * sizeFactor * rateFactor))
}
