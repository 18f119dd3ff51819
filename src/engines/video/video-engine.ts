import { rename, rm, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { isAbsolute } from 'node:path'
import { AppError } from '#platform/errors.ts'
import { createProcessPool } from '#platform/server/process-pool/process-pool.ts'
import type { VideoFacts } from './video-facts.ts'
import {
  type ConversionMethod,
  corruptVideo,
  type PosterWish,
  recipe,
  type Sprite,
  type VideoTask,
} from './video-tasks.ts'

/** Every path is absolute. Refuses with `corrupt-video`, `no-video`, `video-too-large` or `video-unavailable`. */
export type VideoEngine = {
  probe(path: string): Promise<VideoFacts>
  /** An upright JPEG of at most 1920 pixels, from near the first tenth. */
  poster(input: { path: string; outputPath: string }): Promise<void>
  /** Facts, and the same picture as large as thumbnails are, at the price of one. */
  process(input: { path: string; posterPath: string }): Promise<VideoFacts>
  /** Up to 16 small pictures in one JPEG, row by row, for scrubbing. */
  sprite(input: { path: string; outputPath: string }): Promise<Sprite>
  /** Up to `max` (at most 12) different upright JPEGs of at most 1024 pixels, in order. */
  sceneFrames(input: { path: string; directory: string; max: number }): Promise<string[]>
  /** An MP4 that every browser plays and that carries no place, date or camera. */
  makePlayable(input: PlayableRequest): Promise<{ bytes: number; method: ConversionMethod }>
  close(): Promise<void>
}

const maxSceneFrames = 12

/** `env` goes to the workers: tests take the decoder away with it. */
export function createVideoEngine({ env }: { env?: Record<string, string> } = {}): VideoEngine {
  const workers = createWorkers(env)
  return {
    probe: async (path) => workers.inspect(absolute({ path })),
    async poster({ path, outputPath }) {
      await workers.inspect({ ...absolute({ path }), poster: { path: outputPath, room: recipe.posterEdge } })
    },
    process: async ({ path, posterPath }) =>
      workers.inspect({ ...absolute({ path }), poster: { path: posterPath, room: 'thumbnail' } }),
    sprite: async (input) => workers.sprite(absolute(input)),
    async sceneFrames(input) {
      const max = Math.max(1, Math.min(input.max, maxSceneFrames))
      return workers.sceneFrames({ ...absolute(input), max })
    },
    makePlayable: async (input) => makePlayable(workers, absolute(input)),
    close: () => workers.close(),
  }
}

/** FFmpeg would take other text for an option or an address. */
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

/** Writes beside the wanted path and renames when the result was looked at, so a half-made file never shows. */
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
      onProgress: rising(request.onProgress),
    })
    const { size } = await stat(partialPath)
    await rename(partialPath, request.outputPath)
    request.onProgress?.(1)
    return { bytes: size, method }
  } finally {
    await rm(partialPath, { force: true })
  }
}

/** Copies the tracks where that is enough; when the copy turns out to be no good, they are made anew. */
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
  // A damaged source may end early when transcoded; a copy has no reason to.
  if (method === 'remux' && result.durationSeconds < facts.durationSeconds * 0.95 - 1)
    throw corruptVideo('This video lost a part of its length.')
  return method
}

/** A second attempt begins at 0 again, and packets do not come in the order in which they are shown. */
function rising(onProgress: PlayableRequest['onProgress']) {
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
 * Two pools: a look at a video takes milliseconds and must never wait for a conversion, which takes minutes, runs
 * alone and gives way to everything else.
 */
function createWorkers(env?: Record<string, string>) {
  const looks = createProcessPool<VideoTask, unknown>({
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
    // What a worker answers is what `handleTask` returned for that kind.
    inspect: (input: { path: string; poster?: PosterWish }) =>
      looks.run({ kind: 'inspect', ...input }) as Promise<VideoFacts>,
    sprite: (input: { path: string; outputPath: string }) =>
      looks.run({ kind: 'sprite', ...input }, { timeoutMs: 60_000 }) as Promise<Sprite>,
    sceneFrames: (input: { path: string; directory: string; max: number }) =>
      looks.run({ kind: 'sceneFrames', ...input }, { timeoutMs: 60_000 }) as Promise<string[]>,
    async convert({ path, outputPath, method, facts, onProgress, signal }: Conversion) {
      await conversions.run(
        { kind: 'convert', path, outputPath, method },
        { timeoutMs: conversionTimeoutMs(facts), signal, onProgress: (fraction) => onProgress(Number(fraction)) },
      )
    },
    async close() {
      await Promise.all([looks.close(), conversions.close()])
    },
  }
}

const startMs = 120_000
/** Twenty times the playing time of 1080p at 30 pictures a second: one busy core at the lowest priority. */
const msPerSecond = 20_000
const longestMs = 12 * 3_600_000

/** Long enough for an honest video on a slow machine, short enough to end what never would. */
export function conversionTimeoutMs(
  facts: Pick<VideoFacts, 'durationSeconds' | 'width' | 'height' | 'framesPerSecond'>,
) {
  const sizeFactor = Math.max(1, (facts.width * facts.height) / (1920 * 1080))
  const rateFactor = Math.max(1, facts.framesPerSecond / 30)
  // Clocks take whole milliseconds.
  return Math.min(longestMs, Math.ceil(startMs + facts.durationSeconds * msPerSecond * sizeFactor * rateFactor))
}
