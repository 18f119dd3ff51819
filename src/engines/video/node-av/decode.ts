import { Decoder } from 'node-av/api'
import { AV_PKT_FLAG_DISCARD, AVSEEK_FLAG_BACKWARD } from 'node-av/constants'
import type { Frame, Packet, Stream } from 'node-av/lib'
import { maxPixels, positive } from '../video-facts.ts'
import { corruptVideo, outputSettings } from '../video-tasks.ts'
import { addPalette, type OpenVideo, toSeconds } from './open-video.ts'

/** A damaged file may have any number of packets before its first keyframe. */
const maxPacketsBeforeKey = 500
/** Number of discarded frames that may precede the first visible one: half a minute of a screen recording. */
const maxDiscarded = 1000

export function createDecoder(stream: Stream, threadCount = 1) {
  return Decoder.create(stream, { threadCount, exitOnError: false, options: { max_pixels: maxPixels } })
}

/** The frames that a packet completes; frames of a damaged packet are skipped. */
export async function decodeLeniently(decoder: Decoder, packet: Packet | null): Promise<Frame[]> {
  try {
    return await decoder.decodeAll(packet)
  } catch {
    return []
  }
}

/** Returns a frame near the first tenth, which says what the header does not. The caller frees it. */
export async function decodeEarlyFrame(video: OpenVideo): Promise<Frame> {
  const targetSeconds = Math.min(
    video.durationSeconds * outputSettings.posterPosition,
    outputSettings.posterLatestSeconds,
  )
  for (const seconds of targetSeconds > 0 ? [targetSeconds, 0] : [0]) {
    const frame = await decodeFrameAt(video, seconds)
    if (frame) return frame
  }
  throw corruptVideo('This video is damaged: none of its frames can be shown.')
}

/**
 * Returns the keyframe at or before a moment. One packet and a flush are enough for nearly all videos; a stream that starts
 * between keyframes gets a second attempt with more packets.
 */
async function decodeFrameAt(video: OpenVideo, seconds: number): Promise<Frame | null> {
  return (await decodeFirst(video, seconds, 1)) ?? (await decodeFirst(video, seconds, 64))
}

async function decodeFirst(video: OpenVideo, seconds: number, maxPackets: number): Promise<Frame | null> {
  await seekTo(video, seconds)
  using decoder = await createDecoder(video.videoStream)
  let fed = 0
  let discarded = 0
  for (const packet of packetsFromKey(video)) {
    using held = packet
    const frame = first(await decodeLeniently(decoder, held))
    if (frame) return frame
    if (isDiscarded(held) ? ++discarded === maxDiscarded : ++fed === maxPackets) break
  }
  return first(await decodeLeniently(decoder, null))
}

/** Editors that cut without encoding keep frames that later ones refer to, and mark their packets as discarded. */
export const isDiscarded = (packet: Packet) => (packet.flags & AV_PKT_FLAG_DISCARD) !== 0

async function seekTo(video: OpenVideo, seconds: number) {
  const start = toSeconds(video.videoStream.startTime, video.videoStream)
  await video.demuxer.seek(start + seconds, -1, AVSEEK_FLAG_BACKWARD)
}

/** The video packets from the next keyframe on, for one decoder. */
function* packetsFromKey({ demuxer, videoStream, palette }: OpenVideo): Generator<Packet> {
  let skipped = 0
  let hasStarted = false
  for (const packet of demuxer.packetsSync(videoStream.index)) {
    if (!packet) return
    if (!hasStarted && packet.isKeyframe) {
      addPalette(packet, palette)
      hasStarted = true
    }
    if (hasStarted) yield packet
    else packet.free()
    if (!hasStarted && ++skipped > maxPacketsBeforeKey) return
  }
}

function first([frame, ...others]: Frame[]): Frame | null {
  for (const other of others) other.free()
  return frame ?? null
}

/** About three seconds on one core: twenty seconds of 1080p at 30 frames per second. */
const maxPixelsDecodedInFull = 600 * 1920 * 1080

/**
 * Yields frames spread evenly over the video; the caller frees each. A keyframe costs one packet. A short video with too few
 * keyframes to show any change is decoded in full.
 */
export async function* pickFrames(video: OpenVideo, count: number): AsyncGenerator<Frame> {
  const seconds = videoStreamSeconds(video)
  const moments = Array.from({ length: count }, (_, index) => (seconds * (index + 0.5)) / count)
  const keyMoments = await listKeyMoments(video, moments)
  if (keyMoments.length < count / 2 && isCheapInFull(video)) return yield* decodeThrough(video, moments)
  for (const moment of keyMoments) {
    const frame = await decodeFrameAt(video, moment)
    if (frame) yield frame
  }
}

/** The video stream may end before the audio. */
function videoStreamSeconds({ videoStream, durationSeconds }: OpenVideo) {
  return Math.min(durationSeconds, toSeconds(videoStream.duration, videoStream) || durationSeconds)
}

/** The moments that have different keyframes. */
async function listKeyMoments(video: OpenVideo, moments: number[]) {
  const seenKeys = new Set<bigint>()
  const distinct: number[] = []
  for (const moment of moments) {
    await seekTo(video, moment)
    const key = readKeyTime(video)
    if (key === undefined || seenKeys.has(key)) continue
    seenKeys.add(key)
    distinct.push(moment)
  }
  return distinct
}

function readKeyTime(video: OpenVideo) {
  for (const packet of packetsFromKey(video)) {
    using held = packet
    return held.pts
  }
  return undefined
}

function isCheapInFull({ videoStream, durationSeconds }: OpenVideo) {
  const { width, height } = videoStream.codecpar
  return (durationSeconds / frameSeconds(videoStream)) * width * height <= maxPixelsDecodedInFull
}

/** A frame stands for a moment between its own time and that of the next frame. */
async function* decodeThrough(video: OpenVideo, moments: number[]): AsyncGenerator<Frame> {
  const pending = [...moments]
  const start = toSeconds(video.videoStream.startTime, video.videoStream)
  const shownSeconds = frameSeconds(video.videoStream)
  for await (const frame of decodeAll(video)) {
    const end = toSeconds(frame.pts, video.videoStream) - start + shownSeconds
    const isDue = pending[0] !== undefined && pending[0] < end
    while (pending[0] !== undefined && pending[0] < end) pending.shift()
    if (isDue) yield frame
    else frame.free()
    if (pending.length === 0) return
  }
}

const frameSeconds = ({ avgFrameRate }: Stream) => positive(avgFrameRate.den / avgFrameRate.num) || 1 / 30

async function* decodeAll(video: OpenVideo): AsyncGenerator<Frame> {
  await seekTo(video, 0)
  using decoder = await createDecoder(video.videoStream)
  for (const packet of packetsFromKey(video)) {
    using held = packet
    yield* await decodeLeniently(decoder, held)
  }
  yield* await decodeLeniently(decoder, null)
}
