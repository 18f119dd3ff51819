import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { AppError } from '#platform/errors.ts'
import { createProcessPool } from '#platform/server/process-pool/process-pool.ts'
import {
  type ConvertInput,
  type ImageTask,
  type InspectedImage,
  type ProcessedImage,
  type ProcessInput,
  type RenderInput,
  type ShrinkInput,
  type SmallJpeg,
  tooSlow,
  type WrittenImage,
} from './image-tasks.ts'

/**
 * Everything that decodes or encodes pictures, in child processes; see [Note: Decoders live in child processes].
 * Every call decodes for real and throws AppError `unsupported-type` (415), `corrupt-image` (415), `too-many-pixels`
 * (413) or `too-slow` (413). A call that fails leaves no output file behind.
 */
export type ImageEngine = {
  /** One decode makes the still WebP thumbnail (`thumbnailSize`), thumbhash, colours and hash. It checks all that `inspect` does. */
  process(input: ProcessInput): Promise<ProcessedImage>
  /** Type, size and whether the whole picture decodes; costs nearly as much as `process`, since both read every byte. */
  inspect(path: string): Promise<InspectedImage>
  /** A rendition for a screen: upright, sRGB, free of metadata, never enlarged; an animation stays one as WebP. */
  render(input: RenderInput): Promise<WrittenImage>
  /** Full size, upright, keeps animation, colour profile and EXIF; a film that is a PNG is refused. */
  convertToWebp(input: ConvertInput): Promise<WrittenImage>
  /** The frame of the thumbnail as a small JPEG, upright and free of metadata: for models and documents. */
  shrink(input: ShrinkInput): Promise<SmallJpeg>
  close(): Promise<void>
}

export type ImageEngineOptions = {
  processes?: number
  conversionTimeoutMs?: number
}

/** For thumbnails, checks and renditions. The decoder stops itself; an encoder does not, and is killed a little later. */
const timeoutMs = 60_000

type WithoutTimeout<T> = T extends unknown ? Omit<T, 'timeoutSeconds'> : never

export function createImageEngine(options: ImageEngineOptions = {}): ImageEngine {
  const { processes = availableParallelism(), conversionTimeoutMs = 100_000 } = options
  // Three queues, so that an hour of conversions delays neither a thumbnail nor a visitor's rendition. Children are
  // started when the first task comes and leave when none has come for a minute.
  const quick = openLane(processes, timeoutMs)
  const renditions = openLane(Math.max(1, Math.floor(processes / 2)), timeoutMs)
  const conversions = openLane(1, conversionTimeoutMs)

  return {
    process: (input) => discardOnFailure(input.thumbnailPath, quick.run({ kind: 'process', ...input })),
    inspect: (path) => quick.run({ kind: 'inspect', path }),
    render: (input) => discardOnFailure(input.outputPath, renditions.run({ kind: 'render', ...input })),
    convertToWebp: (input) => discardOnFailure(input.outputPath, conversions.run({ kind: 'convert', ...input })),
    shrink: (input) => quick.run({ kind: 'shrink', ...input }),
    async close() {
      await Promise.all([quick.close(), renditions.close(), conversions.close()])
    },
  }
}

function openLane(size: number, timeoutMs: number) {
  const pool = createProcessPool<ImageTask, unknown>({
    entry: new URL('./image-child.ts', import.meta.url),
    size,
    timeoutMs: timeoutMs * 1.1,
    // libvips would print a line for every odd file; two arenas keep the memory of freed pictures from piling up.
    env: { VIPS_WARNING: '0', MALLOC_ARENA_MAX: '2' },
  })
  const timeoutSeconds = Math.max(1, Math.round(timeoutMs / 1000))
  return {
    // The child answers each kind of task with the type that its caller above names.
    run: <Result>(task: WithoutTimeout<ImageTask>) =>
      pool.run({ ...task, timeoutSeconds }).catch(explainTimeout) as Promise<Result>,
    close: pool.close,
  }
}

function explainTimeout(error: unknown): never {
  throw error instanceof AppError && error.code === 'timeout' ? tooSlow() : error
}

/** A child may die in the middle of a file; nobody should find the half. */
async function discardOnFailure<Result>(outputPath: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    await rm(outputPath, { force: true })
    throw error
  }
}
