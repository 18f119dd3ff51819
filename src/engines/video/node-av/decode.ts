import { Decoder } from 'node-av/api'
import { AV_PKT_FLAG_DISCARD, AVSEEK_FLAG_BACKWARD } from 'node-av/constants'
import type { Frame, Packet, Stream } from 'node-av/lib'
import { maxPixels, positive } from '../video-facts.ts'
import { corruptVideo, recipe } from '../video-tasks.ts'
import { givePalette, type OpenVideo, toSeconds } from './open-video.ts'

/** A damaged file may hold any number of packets before its first key packet. */
const maxPacketsBeforeKey = 500
/** How many pictures that were cut away may stand before the first that is shown: half a minute of a recorded screen. */
const maxCutAway = 1000

export function createDecoder(stream: Stream, threadCount = 1) {
  return Decoder.create(stream, { threadCount, exitOnError: false, options: { max_pixels: maxPixels } })
}

/** The pictures (or sounds) that a packet completes; what a damaged packet holds is passed over. */
export async function decodeLeniently(decoder: Decoder, packet: Packet | null): Promise<Frame[]> {
  try {
    return await decoder.decodeAll(packet)
  } catch {
    return []
  }
}

/** A picture from near the first tenth, which tells what the header does not; whoever receives it frees it. */
export async function decodeEarlyFrame(video: OpenVideo): Promise<Frame> {
  const wanted = Math.min(video.durationSeconds * recipe.posterPosition, recipe.posterLatestSeconds)
  for (const seconds of wanted > 0 ? [wanted, 0] : [0]) {
    const frame = await decodeFrameAt(video, seconds)
    if (frame) return frame
  }
  throw corruptVideo('This video is damaged: none of its pictures can be shown.')
}

/**
 * The key picture at or before a moment. One packet and a flush suffice for nearly all; a stream that begins in the
 * middle of something gets a second try with more packets.
 */
async function decodeFrameAt(video: OpenVideo, seconds: number): Promise<Frame | null> {
  return (await decodeFirst(video, seconds, 1)) ?? (await decodeFirst(video, seconds, 64))
}

async function decodeFirst(video: OpenVideo, seconds: number, maxPackets: number): Promise<Frame | null> {
  await seekTo(video, seconds)
  using decoder = await createDecoder(video.picture)
  let fed = 0
  let cutAway = 0
  for (const packet of packetsFromKey(video)) {
    using held = packet
    const frame = first(await decodeLeniently(decoder, held))
    if (frame) return frame
    if (isCutAway(held) ? ++cutAway === maxCutAway : ++fed === maxPackets) break
  }
  return first(await decodeLeniently(decoder, null))
}

/** Who cuts a film without encoding it anew leaves the pictures that the next ones are drawn from, and says that they are not shown. */
export const isCutAway = (packet: Packet) => (packet.flags & AV_PKT_FLAG_DISCARD) !== 0

async function seekTo(video: OpenVideo, seconds: number) {
  const start = toSeconds(video.picture.startTime, video.picture)
  await video.demuxer.seek(start + seconds, -1, AVSEEK_FLAG_BACKWARD)
}

/** The packets of the picture from the next key packet on, for one decoder. */
function* packetsFromKey({ demuxer, picture, palette }: OpenVideo): Generator<Packet> {
  let skipped = 0
  let hasBegun = false
  for (const packet of demuxer.packetsSync(picture.index)) {
    if (!packet) return
    if (!hasBegun && packet.isKeyframe) {
      givePalette(packet, palette)
      hasBegun = true
    }
    if (hasBegun) yield packet
    else packet.free()
    if (!hasBegun && ++skipped > maxPacketsBeforeKey) return
  }
}

function first([frame, ...others]: Frame[]): Frame | null {
  for (const other of others) other.free()
  return frame ?? null
}

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
