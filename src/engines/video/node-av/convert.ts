import { stat } from 'node:fs/promises'
import { Muxer } from 'node-av/api'
import { AV_NOPTS_VALUE } from 'node-av/constants'
import type { Packet, Stream } from 'node-av/lib'
import { h264Filter } from '../filters.ts'
import { canCopyAudio, positive } from '../video-facts.ts'
import { corruptVideo, recipe, type VideoTask } from '../video-tasks.ts'
import { decodeEarlyFrame } from './decode.ts'
import { codecName, givePalette, type OpenVideo, openVideo, readTraits, toSeconds } from './open-video.ts'
import { createTimeGuard } from './time-guard.ts'
import { aacTrack, copyTrack, h264Track, type Track } from './tracks.ts'

type ConvertTask = Extract<VideoTask, { kind: 'convert' }>
type ReportProgress = (fraction: number) => void
/** Says that a part of the work is done, however small. */
type Step = () => void

/** Writes the picture and the first sound into an MP4 that plays before it has arrived in full. */
export async function convert(task: ConvertTask, report: ReportProgress) {
  // The muxer waits for the first sound before it writes anything; a sound track may hold none.
  const isWritten =
    (await writeMp4(task, { hasSound: true }, report)) || (await writeMp4(task, { hasSound: false }, report))
  if (!isWritten) throw corruptVideo('This video is damaged: none of its pictures could be converted.')
}

async function writeMp4(task: ConvertTask, { hasSound }: { hasSound: boolean }, report: ReportProgress) {
  using pulse = startPulse(task.outputPath, () => report(0)) // what does not rise is shown to nobody
  await using video = await openVideo(task.path, { isThorough: true })
  pulse.step()
  await using output = await openOutput(task.outputPath)
  using picture =
    task.method === 'remux'
      ? copyTrack(output, video.picture)
      : await encodePicture(output, video, task.path, pulse.step)
  using sound = hasSound ? await addSound(output, video, pulse.step) : undefined
  await pump(video, { picture, sound }, { report, step: pulse.step })
  await picture.finish()
  await sound?.finish()
  return picture.written() > 0 && (!sound || sound.written() > 0)
}

/**
 * No input is named and the tags of each stream are emptied: the copy carries no place, date or camera.
 * Packets are written one by one, because a failed write on the muxer's own queue would end the process.
 */
function openOutput(path: string) {
  return Muxer.open(path, {
    format: 'mp4',
    useAsyncWrite: false,
    useSyncQueue: false,
    muxingQueueDataThreshold: 256 * 1024 * 1024,
    options: { movflags: '+faststart' },
    configure: ({ streams }) => {
      for (const stream of streams ?? []) stream.metadata = null
    },
  })
}

/**
 * What the filters must know is asked of the file opened once more. Whoever moves in a film does not come back to its beginning for
 * certain: one that was cut goes through some moments twice, and sound may come in before the picture.
 */
async function encodePicture(output: Muxer, video: OpenVideo, path: string, step: Step) {
  await using look = await openVideo(path, { isThorough: true })
  using frame = await decodeEarlyFrame(look)
  step()
  const { source, framesPerSecond } = readTraits(look, frame)
  const filter = h264Filter(source, {
    maxEdge: recipe.playableEdge,
    maxFramesPerSecond: recipe.playableFramesPerSecond,
    framesPerSecond,
  })
  return h264Track(output, video.picture, { filter, keyframeInterval: recipe.keyframeInterval, step })
}

async function addSound(output: Muxer, { sound, container }: OpenVideo, step: Step) {
  if (!sound || (sound.nbFrames === 0n && sound.duration === 0n)) return undefined
  if (container.name !== 'avi' && canCopyAudio(codecName(sound))) return copyTrack(output, sound)
  try {
    return await aacTrack(output, sound, step)
  } catch {
    // A sound that nobody can decode; the picture is worth keeping.
    return undefined
  }
}

async function pump(
  video: OpenVideo,
  tracks: { picture: Track; sound?: Track },
  { report, step }: { report: ReportProgress; step: Step },
) {
  const { demuxer, picture, sound, durationSeconds } = video
  const start = Math.min(...[picture, sound ?? picture].map((stream) => toSeconds(stream.startTime, stream)))
  const isPlausible = createTimeGuard(durationSeconds)
  let { palette } = video
  let reported = 0
  for (const packet of demuxer.packetsSync()) {
    if (!packet) return
    using held = packet
    const stream = held.streamIndex === picture.index ? picture : sound
    if (stream?.index !== held.streamIndex) continue
    const track = stream === picture ? tracks.picture : tracks.sound
    if (!track) continue
    const seconds = toSeconds(held.pts, stream) - start
    if (!isPlausible({ index: stream.index, fillsPauses: track.fillsPauses }, seconds)) continue
    if (stream === picture) {
      givePalette(held, palette)
      palette = undefined
    }
    // In an AVI most packets do not say when they are shown, only when they are read.
    const come = held.pts === AV_NOPTS_VALUE ? toSeconds(held.dts, stream) - start : seconds
    countFrom(start, held, stream)
    await track.feed(held)
    step()
    const fraction = stream === picture ? Math.min(0.99, positive(come / durationSeconds)) : 0
    if (fraction < reported + 0.01) continue
    reported = fraction
    report(fraction)
  }
}

/** A recording may have begun hours into a stream; the new file begins with itself. */
function countFrom(start: number, packet: Packet, { timeBase }: Stream) {
  const offset = BigInt(Math.round((start * timeBase.den) / timeBase.num))
  if (packet.pts !== AV_NOPTS_VALUE) packet.pts -= offset
  if (packet.dts !== AV_NOPTS_VALUE) packet.dts -= offset
}

const everyMs = 2_000

/**
 * Tells every few seconds that a conversion goes on, so that it is not taken for one that hangs: a step was done, or the
 * new file was written to. The latter is all that happens at the end, when the index is moved to the front, which on a slow
 * disk takes minutes.
 */
function startPulse(outputPath: string, tell: () => void): Disposable & { step(): void } {
  let steps = 0
  let told = ''
  const timer = setInterval(async () => {
    const { mtimeMs } = await stat(outputPath).catch(() => ({ mtimeMs: 0 })) // not begun yet
    const now = `${steps} ${mtimeMs}`
    if (now !== told) tell()
    told = now
  }, everyMs)
  return { step: () => void steps++, [Symbol.dispose]: () => clearInterval(timer) }
}
