import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Encoder, FilterAPI } from 'node-av/api'
import { AV_CODEC_FLAG_QSCALE, FF_ENCODER_MJPEG, FF_QP2LAMBDA } from 'node-av/constants'
import type { Frame } from 'node-av/lib'
import { jpegFilter } from '../filters.ts'
import { describeVideo, type VideoFacts } from '../video-facts.ts'
import { corruptVideo, outputSettings, type PosterRequest, type Sprite } from '../video-tasks.ts'
import { decodeEarlyFrame, pickFrames } from './decode.ts'
import { type OpenVideo, openVideo, readPictureSource, readTraits } from './open-video.ts'

/** Reads the facts and writes the poster with one open file and one decoded frame. */
export async function inspect({ path, poster }: { path: string; poster?: PosterRequest }): Promise<VideoFacts> {
  await using video = await openVideo(path)
  using frame = poster ? await decodePosterFrame(video) : await decodeEarlyFrame(video)
  const traits = readTraits(video, frame)
  const facts = describeVideo(traits)
  if (!poster) return facts
  const { filter } = jpegFilter(traits.source, poster.sizeLimit)
  using output = await filterFrame(frame, filter)
  await writeJpeg(output, poster.path, 2)
  return facts
}

/** Number of frames tried when the first one is plain. */
const maxPosterAttempts = 8

/**
 * Returns the frame that represents the video; the caller frees it. A video that starts with darkness, a plain title or a fade gets
 * a later frame.
 */
async function decodePosterFrame(video: OpenVideo): Promise<Frame> {
  let chosen = await decodeEarlyFrame(video)
  let grid = await readBrightnessGrid(chosen)
  if (!isPlain(grid)) return chosen
  for await (const frame of pickFrames(video, maxPosterAttempts)) {
    const other = await readBrightnessGrid(frame)
    // A candidate must be clearly richer, or a fade that is still going on would be kept at its first moment.
    const isBetter = !isPlain(other) && contrast(other) > 1.5 * contrast(grid)
    const rejected = isBetter ? chosen : frame
    rejected.free()
    if (!isBetter) continue
    chosen = frame
    grid = other
  }
  return chosen
}

/** Sum of the differences between each part's brightness and the mean. */
function contrast(grid: Buffer) {
  const mean = grid.reduce((sum, value) => sum + value, 0) / grid.length
  return grid.reduce((sum, value) => sum + Math.abs(value - mean), 0)
}

/** Small frames of the whole video in one JPEG, row by row, for scrubbing with the mouse. */
export async function makeSprite({ path, outputPath }: { path: string; outputPath: string }): Promise<Sprite> {
  await using video = await openVideo(path)
  const cells: Frame[] = []
  try {
    let cell: ReturnType<typeof jpegFilter> | undefined
    for await (using frame of pickFrames(video, outputSettings.spriteFrames)) {
      cell ??= jpegFilter(readPictureSource(video, frame), outputSettings.spriteEdge, 2)
      cells.push(await filterFrame(frame, cell.filter))
    }
    if (!cell) throw corruptVideo('This video is damaged: none of its frames can be shown.')
    const columns = Math.min(outputSettings.spriteColumns, cells.length)
    using sheet = await tile(cells, columns)
    await writeJpeg(sheet, outputPath, 5)
    return { frames: cells.length, columns, frameWidth: cell.width, frameHeight: cell.height }
  } finally {
    for (const cell of cells) cell.free()
  }
}

async function tile(cells: Frame[], columns: number): Promise<Frame> {
  const rows = Math.ceil(cells.length / columns)
  using graph = FilterAPI.create(`tile=${columns}x${rows}:nb_frames=${cells.length}`, { threads: 1 })
  for (const cell of cells) {
    const [sheet] = await graph.processAll(cell)
    if (sheet) return sheet
  }
  throw corruptVideo()
}

/** Mean difference of brightness (of 255) below which a model would see two frames as the same. */
const sameSceneDifference = 4

/** Frames for the AI, in order. A repeated scene would be paid for twice, and a dark one shows nothing. */
export async function extractSceneFrames(input: { path: string; directory: string; max: number }): Promise<string[]> {
  await using video = await openVideo(input.path)
  const scenes: string[] = []
  const plain: string[] = []
  let last: Buffer | undefined
  for await (using frame of pickFrames(video, input.max)) {
    const grid = await readBrightnessGrid(frame)
    if (last && difference(last, grid) < sameSceneDifference) continue
    last = grid
    const number = scenes.length + plain.length + 1
    const path = join(input.directory, `scene-${String(number).padStart(2, '0')}.jpg`)
    using output = await filterFrame(
      frame,
      jpegFilter(readPictureSource(video, frame), outputSettings.sceneEdge).filter,
    )
    await writeJpeg(output, path, 3)
    const kind = isPlain(grid) ? plain : scenes
    kind.push(path)
  }
  return scenes.length > 0 ? scenes : plain
}

function difference(one: Buffer, other: Buffer) {
  let sum = 0
  for (const [index, value] of one.entries()) sum += Math.abs(value - (other[index] ?? 0))
  return sum / one.length
}

/** The brightness of 16 by 16 parts of a frame, 0 to 255: enough to tell whether it is plain or equal to another. */
async function readBrightnessGrid(frame: Frame): Promise<Buffer> {
  using small = await filterFrame(frame, 'scale=16:16:flags=area,format=gray')
  return small.toBuffer()
}

/** A frame whose brightness varies less than this (of 255) is plain, or at the very start of a fade. */
const plainRange = 40

const isPlain = (grid: Buffer) => Math.max(...grid) - Math.min(...grid) < plainRange

/** FFmpeg's quality scale from 2 (best) to 31; 2 is close to quality 90 elsewhere, 5 suits small images. */
type JpegScale = 2 | 3 | 5

/** Filters one frame. The library's own scaler misreads the color range and turns black into gray. */
async function filterFrame(frame: Frame, filter: string): Promise<Frame> {
  using graph = FilterAPI.create(filter, { threads: 1 })
  const [output, ...others] = await graph.processAll(frame)
  for (const other of others) other.free()
  if (!output) throw corruptVideo()
  return output
}

/** Writes a frame in `yuvj420p`. */
async function writeJpeg(output: Frame, path: string, scale: JpegScale) {
  output.pts = 0n
  output.quality = scale * FF_QP2LAMBDA
  using encoder = await Encoder.create(FF_ENCODER_MJPEG, { threadCount: 1 })
  encoder.setCodecFlags(AV_CODEC_FLAG_QSCALE)
  const packets = await encoder.encodeAll(output)
  try {
    const bytes = packets[0]?.data
    if (!bytes) throw corruptVideo()
    await writeFile(path, bytes)
  } finally {
    for (const packet of packets) packet.free()
  }
}
