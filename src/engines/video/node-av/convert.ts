import { stat } from 'node:fs/promises'
import { Muxer } from 'node-av/api'
import { AV_NOPTS_VALUE } from 'node-av/constants'
import type { Packet, Stream } from 'node-av/lib'
import { h264Filter } from '../filters.ts'
import { canCopyAudio, positive } from '../video-facts.ts'
import { corruptVideo, outputSettings, type VideoTask } from '../video-tasks.ts'
import { decodeEarlyFrame } from './decode.ts'
import { addPalette, codecName, type OpenVideo, openVideo, readTraits, toSeconds } from './open-video.ts'
import { createTimeGuard } from './time-guard.ts'
import { aacTrack, copyTrack, h264Track, type Track } from './tracks.ts'

type ConvertTask = Extract<VideoTask, { kind: 'convert' }>
type ReportProgress = (fraction: number) => void
/** Called when a part of the work is done, however small. */
type Step = () => void

/** Writes the video and the first audio stream into an MP4 that can be played while it is still loading. */
export async function convert(task: ConvertTask, report: ReportProgress) {
  // The muxer waits for the first audio packet before it writes anything, and an audio stream may have none.
  const isWritten =
    (await writeMp4(task, { hasAudio: true }, report)) || (await writeMp4(task, { hasAudio: false }, report))
  if (!isWritten) throw corruptVideo('This video is damaged: none of its frames could be converted.')
}

async function writeMp4(task: ConvertTask, { hasAudio }: { hasAudio: boolean }, report: ReportProgress) {
  using heartbeat = startHeartbeat(task.outputPath, () => report(0)) // a fraction that does not rise is not shown
  await using video = await openVideo(task.path, { isThorough: true })
  heartbeat.step()
  await using output = await openOutput(task.outputPath)
  using videoTrack =
    task.method === 'remux'
      ? copyTrack(output, video.videoStream)
      : await encodeVideo(output, video, task.path, heartbeat.step)
  using audioTrack = hasAudio ? await addAudio(output, video, heartbeat.step) : undefined
  await copyPackets(video, { videoTrack, audioTrack }, { report, step: heartbeat.step })
  await videoTrack.finish()
  await audioTrack?.finish()
  return videoTrack.written() > 0 && (!audioTrack || audioTrack.written() > 0)
}

/**
 * No input metadata is passed on and the tags of each stream are emptied: the copy has no location, date or camera.
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
 * The file is opened a second time for the frame that the filters need. Seeking in the first one does not return to its start
 * reliably: a cut video passes some moments twice, and audio may start before the video.
 */
async function encodeVideo(output: Muxer, video: OpenVideo, path: string, step: Step) {
  await using secondReader = await openVideo(path, { isThorough: true })
  using frame = await decodeEarlyFrame(secondReader)
  step()
  const { source, framesPerSecond } = readTraits(secondReader, frame)
  const filter = h264Filter(source, {
    maxEdge: outputSettings.playableEdge,
    maxFramesPerSecond: outputSettings.playableFramesPerSecond,
    framesPerSecond,
  })
  return h264Track(output, video.videoStream, { filter, keyframeInterval: outputSettings.keyframeInterval, step })
}

async function addAudio(output: Muxer, { audioStream, container }: OpenVideo, step: Step) {
  if (!audioStream || (audioStream.nbFrames === 0n && audioStream.duration === 0n)) return undefined
  if (container.name !== 'avi' && canCopyAudio(codecName(audioStream))) return copyTrack(output, audioStream)
  try {
    return await aacTrack(output, audioStream, step)
  } catch {
    // Audio that cannot be decoded is left out; the video is worth keeping.
    return undefined
  }
}

async function copyPackets(
  video: OpenVideo,
  tracks: { videoTrack: Track; audioTrack?: Track },
  { report, step }: { report: ReportProgress; step: Step },
) {
  const { demuxer, videoStream, audioStream, durationSeconds } = video
  const start = Math.min(
    ...[videoStream, audioStream ?? videoStream].map((stream) => toSeconds(stream.startTime, stream)),
  )
  const isPlausible = createTimeGuard(durationSeconds)
  let { palette } = video
  let reported = 0
  for (const packet of demuxer.packetsSync()) {
    if (!packet) return
    using held = packet
    const stream = held.streamIndex === videoStream.index ? videoStream : audioStream
    if (stream?.index !== held.streamIndex) continue
    const track = stream === videoStream ? tracks.videoTrack : tracks.audioTrack
    if (!track) continue
    const seconds = toSeconds(held.pts, stream) - start
    if (!isPlausible({ index: stream.index, fillsPauses: track.fillsPauses }, seconds)) continue
    if (stream === videoStream) {
      addPalette(held, palette)
      palette = undefined
    }
    // Most packets of an AVI have a decoding time only.
    const shownSeconds = held.pts === AV_NOPTS_VALUE ? toSeconds(held.dts, stream) - start : seconds
    subtractStart(start, held, stream)
    await track.feed(held)
    step()
    const fraction = stream === videoStream ? Math.min(0.99, positive(shownSeconds / durationSeconds)) : 0
    if (fraction < reported + 0.01) continue
    reported = fraction
    report(fraction)
  }
}

/** A recording may start hours into a stream; the new file starts at 0. */
function subtractStart(start: number, packet: Packet, { timeBase }: Stream) {
  const offset = BigInt(Math.round((start * timeBase.den) / timeBase.num))
  if (packet.pts !== AV_NOPTS_VALUE) packet.pts -= offset
  if (packet.dts !== AV_NOPTS_VALUE) packet.dts -= offset
}

const heartbeatMs = 2_000

/**
 * Reports every few seconds that a conversion is alive, so that the process pool does not end it: a step was done, or the output
 * file changed. At the end only the file changes, while the index moves to the front, which takes minutes on a slow disk.
 */
function startHeartbeat(outputPath: string, beat: () => void): Disposable & { step(): void } {
  let steps = 0
  let lastState = ''
  const timer = setInterval(async () => {
    const { mtimeMs } = await stat(outputPath).catch(() => ({ mtimeMs: 0 })) // the file does not exist yet
    const state = `${steps} ${mtimeMs}`
    if (state !== lastState) beat()
    lastState = state
  }, heartbeatMs)
  return { step: () => void steps++, [Symbol.dispose]: () => clearInterval(timer) }
}
