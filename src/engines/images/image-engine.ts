import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { AppError } from '#platform/errors.ts'
import { createProcessPool } from '#platform/server/process-pool/process-pool.ts'
import {
  type ConvertInput,
  type CutOutInput,
  type EditInput,
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
 * Decodes and encodes pictures in child processes; see [Note: Decoders live in child processes]. Every call really decodes and
 * throws AppError `unsupported-type` (415), `corrupt-image` (415), `too-many-pixels` (413) or `too-slow` (413). A failed call
 * leaves no output file.
 */
export type ImageEngine = {
  /**
   * Makes the still WebP thumbnail (`thumbnailSize`), thumbhash, colors and hash from one decode. It makes all checks of
   * `inspect`.
   */
  process(input: ProcessInput): Promise<ProcessedImage>
  /** Returns type and size, and checks that the whole picture decodes; reading every byte costs nearly as much as `process`. */
  inspect(path: string): Promise<InspectedImage>
  /** A rendition for a screen: upright, sRGB, without metadata, never enlarged. WebP and GIF keep an animation of up to 50 megapixels in all frames. */
  render(input: RenderInput): Promise<WrittenImage>
  /** Upright, with color profile and EXIF; only WebP keeps an animation, and an animated PNG is refused. */
  convert(input: ConvertInput): Promise<WrittenImage>
  /** The edited picture in its own format, upright, in sRGB and with its EXIF; see [Note: Edits of a picture]. */
  edit(input: EditInput): Promise<WrittenImage>
  /** Full size, upright, sRGB and without metadata; what is not in the mask becomes transparent. Animations are refused. */
  cutOut(input: CutOutInput): Promise<WrittenImage>
  /** The frame of the thumbnail as a small upright JPEG without metadata, for models and documents. */
  shrink(input: ShrinkInput): Promise<SmallJpeg>
  close(): Promise<void>
}

export type ImageEngineOptions = {
  processes?: number
  conversionTimeoutMs?: number
}

/** For thumbnails, checks and renditions. The decoder stops by itself; an encoder does not, and is killed a little later. */
const timeoutMs = 60_000

type WithoutTimeout<T> = T extends unknown ? Omit<T, 'timeoutSeconds'> : never

export function createImageEngine(options: ImageEngineOptions = {}): ImageEngine {
  const { processes = availableParallelism(), conversionTimeoutMs = 100_000 } = options
  // Three queues, so that an hour of conversions delays neither a thumbnail nor a visitor's rendition. Children start with the
  // first task and exit after a minute without one.
  const quick = openLane(processes, timeoutMs)
  const renditions = openLane(Math.max(1, Math.floor(processes / 2)), timeoutMs)
  const conversions = openLane(1, conversionTimeoutMs)

  return {
    process: (input) => discardOnFailure(input.thumbnailPath, quick.run({ kind: 'process', ...input })),
    inspect: (path) => quick.run({ kind: 'inspect', path }),
    render: (input) => discardOnFailure(input.outputPath, renditions.run({ kind: 'render', ...input })),
    convert: (input) => discardOnFailure(input.outputPath, conversions.run({ kind: 'convert', ...input })),
    edit: (input) => discardOnFailure(input.outputPath, conversions.run({ kind: 'edit', ...input })),
    cutOut: (input) => discardOnFailure(input.outputPath, conversions.run({ kind: 'cut-out', ...input })),
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
    // libvips prints a line for every unusual file; two arenas limit the memory that freed pictures leave behind.
    env: { VIPS_WARNING: '0', MALLOC_ARENA_MAX: '2' },
  })
  const timeoutSeconds = Math.max(1, Math.round(timeoutMs / 1000))
  return {
    // The child answers each kind of task with the type that the caller names.
    run: <Result>(task: WithoutTimeout<ImageTask>) =>
      pool.run({ ...task, timeoutSeconds }).catch(explainTimeout) as Promise<Result>,
    close: pool.close,
  }
}

function explainTimeout(error: unknown): never {
  throw error instanceof AppError && error.code === 'timeout' ? tooSlow() : error
}

/** A child may die in the middle of a file, and its output must not be found. */
async function discardOnFailure<Result>(outputPath: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    await rm(outputPath, { force: true })
    throw error
  }
}
