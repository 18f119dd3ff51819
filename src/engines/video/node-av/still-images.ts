import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Encoder, FilterAPI } from 'node-av/api'
import { AV_CODEC_FLAG_QSCALE, FF_ENCODER_MJPEG, FF_QP2LAMBDA } from 'node-av/constants'
import type { Frame } from 'node-av/lib'
import { jpegFilter } from '../filters.ts'
import { describeVideo, type VideoFacts } from '../video-facts.ts'
import { corruptVideo, type PosterWish, recipe, type Sprite } from '../video-tasks.ts'
import { decodeEarlyFrame, pickFrames } from './decode.ts'
import { type OpenVideo, openVideo, readPictureSource, readTraits } from './open-video.ts'

/** Facts and poster from one open file and one decoded picture. */
export async function inspect({ path, poster }: { path: string; poster?: PosterWish }): Promise<VideoFacts> {
  await using video = await openVideo(path)
  using frame = poster ? await decodePosterFrame(video) : await decodeEarlyFrame(video)
  const traits = readTraits(video, frame)
  const facts = describeVideo(traits)
  if (!poster) return facts
  const { filter } = jpegFilter(traits.source, poster.room)
  using picture = await filterFrame(frame, filter)
  await writeJpeg(picture, poster.path, 2)
  return facts
}

/** How many pictures are tried instead of a plain one. */
const maxTries = 8

/**
 * The picture that stands for the video; whoever receives it frees it. Films that begin in the dark, with a plain title or with a
 * fade show a later one.
 */
async function decodePosterFrame(video: OpenVideo): Promise<Frame> {
  let chosen = await decodeEarlyFrame(video)
  let sketch = await drawSketch(chosen)
  if (!isPlain(sketch)) return chosen
  for await (const frame of pickFrames(video, maxTries)) {
    const other = await drawSketch(frame)
    // Half again as much to see, or a fade that goes on would be left in its first moment.
    const isBetter = !isPlain(other) && variety(other) > 1.5 * variety(sketch)
    const rejected = isBetter ? chosen : frame
    rejected.free()
    if (!isBetter) continue
    chosen = frame
    sketch = other
  }
  return chosen
}

/** How far its parts are from their mean, all together. */
function variety(sketch: Buffer) {
  const mean = sketch.reduce((sum, value) => sum + value, 0) / sketch.length
  return sketch.reduce((sum, value) => sum + Math.abs(value - mean), 0)
}

/** Small pictures of the whole video in one JPEG, row by row, for scrubbing with the mouse. */
export async function makeSprite({ path, outputPath }: { path: string; outputPath: string }): Promise<Sprite> {
  await using video = await openVideo(path)
  const cells: Frame[] = []
  try {
    let cell: ReturnType<typeof jpegFilter> | undefined
    for await (using frame of pickFrames(video, recipe.spriteFrames)) {
      cell ??= jpegFilter(readPictureSource(video, frame), recipe.spriteEdge, 2)
      cells.push(await filterFrame(frame, cell.filter))
    }
    if (!cell) throw corruptVideo('This video is damaged: none of its pictures can be shown.')
    const columns = Math.min(recipe.spriteColumns, cells.length)
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

/** Mean difference of brightness (of 255) under which two pictures tell a model the same. */
const sameSceneDifference = 4

/** Pictures worth looking at, in order; the same scene twice would be paid for twice, and in the dark there is nothing to see. */
export async function extractSceneFrames(input: { path: string; directory: string; max: number }): Promise<string[]> {
  await using video = await openVideo(input.path)
  const scenes: string[] = []
  const plain: string[] = []
  let last: Buffer | undefined
  for await (using frame of pickFrames(video, input.max)) {
    const sketch = await drawSketch(frame)
    if (last && difference(last, sketch) < sameSceneDifference) continue
    last = sketch
    const number = scenes.length + plain.length + 1
    const path = join(input.directory, `scene-${String(number).padStart(2, '0')}.jpg`)
    using picture = await filterFrame(frame, jpegFilter(readPictureSource(video, frame), recipe.sceneEdge).filter)
    await writeJpeg(picture, path, 3)
    const kind = isPlain(sketch) ? plain : scenes
    kind.push(path)
  }
  return scenes.length > 0 ? scenes : plain
}

function difference(one: Buffer, other: Buffer) {
  let sum = 0
  for (const [index, value] of one.entries()) sum += Math.abs(value - (other[index] ?? 0))
  return sum / one.length
}

/** The brightness of 16 by 16 parts of a picture, 0 to 255: enough to tell whether it is plain, or the same as another. */
async function drawSketch(frame: Frame): Promise<Buffer> {
  using small = await filterFrame(frame, 'scale=16:16:flags=area,format=gray')
  return small.toBuffer()
}

/** No part of the picture is brighter than another by more than this, of 255: it is plain, or a fade has just begun. */
const plainest = 40

const isPlain = (sketch: Buffer) => Math.max(...sketch) - Math.min(...sketch) < plainest

/** FFmpeg's scale from 2 (best) to 31; 2 lies close to the 90 of other encoders, 5 suits small pictures. */
type JpegScale = 2 | 3 | 5

/** One filtered picture. The library's own scaler mistakes the range of its colours and makes grey of black. */
async function filterFrame(frame: Frame, filter: string): Promise<Frame> {
  using graph = FilterAPI.create(filter, { threads: 1 })
  const [picture, ...others] = await graph.processAll(frame)
  for (const other of others) other.free()
  if (!picture) throw corruptVideo()
  return picture
}

/** Writes a picture in `yuvj420p`. */
async function writeJpeg(picture: Frame, path: string, scale: JpegScale) {
  picture.pts = 0n
  picture.quality = scale * FF_QP2LAMBDA
  using encoder = await Encoder.create(FF_ENCODER_MJPEG, { threadCount: 1 })
  encoder.setCodecFlags(AV_CODEC_FLAG_QSCALE)
  const packets = await encoder.encodeAll(picture)
  try {
    const bytes = packets[0]?.data
    if (!bytes) throw corruptVideo()
    await writeFile(path, bytes)
  } finally {
    for (const packet of packets) packet.free()
  }
}
