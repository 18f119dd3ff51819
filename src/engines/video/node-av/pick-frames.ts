import type { Frame, Stream } from 'node-av/lib'
import { positive } from '../video-facts.ts'
import { createDecoder, decodeFrameAt, decodeLeniently, packetsFromKey, seekTo } from './decode.ts'
import { type OpenVideo, toSeconds } from './open-video.ts'

/** About three seconds of one core: twenty seconds of 1080p at 30 pictures a second. */
const maxPixelsDecodedInFull = 600 * 1920 * 1080

/**
 * Pictures spread evenly over the video; whoever receives one frees it. Key pictures cost a packet each. Where a
 * short video has too few of them to tell anything apart, it is decoded in full.
 */
export async function* pickFrames(video: OpenVideo, count: number): AsyncGenerator<Frame> {
  const seconds = pictureSeconds(video)
  const moments = Array.from({ length: count }, (_, index) => (seconds * (index + 0.5)) / count)
  const keyMoments = await listKeyMoments(video, moments)
  if (keyMoments.length < count / 2 && isCheapInFull(video)) return yield* decodeThrough(video, moments)
  for (const moment of keyMoments) {
    const frame = await decodeFrameAt(video, moment)
    if (frame) yield frame
  }
}

/** The sound may go on when there is nothing more to see. */
function pictureSeconds({ picture, durationSeconds }: OpenVideo) {
  return Math.min(durationSeconds, toSeconds(picture.duration, picture) || durationSeconds)
}

/** The moments that have a key picture of their own. */
async function listKeyMoments(video: OpenVideo, moments: number[]) {
  const seen = new Set<bigint>()
  const distinct: number[] = []
  for (const moment of moments) {
    await seekTo(video, moment)
    const key = readKeyTime(video)
    if (key === undefined || seen.has(key)) continue
    seen.add(key)
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

function isCheapInFull({ picture, durationSeconds }: OpenVideo) {
  const { width, height } = picture.codecpar
  return (durationSeconds / frameSeconds(picture)) * width * height <= maxPixelsDecodedInFull
}

/** A picture stands for a moment that falls between its time and the next one's. */
async function* decodeThrough(video: OpenVideo, moments: number[]): AsyncGenerator<Frame> {
  const waiting = [...moments]
  const start = toSeconds(video.picture.startTime, video.picture)
  const shownSeconds = frameSeconds(video.picture)
  for await (const frame of decodeAll(video)) {
    const end = toSeconds(frame.pts, video.picture) - start + shownSeconds
    const isDue = waiting[0] !== undefined && waiting[0] < end
    while (waiting[0] !== undefined && waiting[0] < end) waiting.shift()
    if (isDue) yield frame
    else frame.free()
    if (waiting.length === 0) return
  }
}

const frameSeconds = ({ avgFrameRate }: Stream) => positive(avgFrameRate.den / avgFrameRate.num) || 1 / 30

async function* decodeAll(video: OpenVideo): AsyncGenerator<Frame> {
  await seekTo(video, 0)
  using decoder = await createDecoder(video.picture)
  for (const packet of packetsFromKey(video)) {
    using held = packet
    yield* await decodeLeniently(decoder, held)
  }
  yield* await decodeLeniently(decoder, null)
}
