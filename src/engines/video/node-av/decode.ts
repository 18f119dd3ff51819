import { Decoder } from 'node-av/api'
import { AV_PKT_FLAG_DISCARD, AVSEEK_FLAG_BACKWARD } from 'node-av/constants'
import type { Frame, Packet, Stream } from 'node-av/lib'
import { corruptVideo } from '../refusals.ts'
import { maxPixels } from '../video-facts.ts'
import { recipe } from '../video-tasks.ts'
import { type OpenVideo, toSeconds } from './open-video.ts'
import { givePalette } from './palette.ts'

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
export async function decodeFrameAt(video: OpenVideo, seconds: number): Promise<Frame | null> {
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

export async function seekTo(video: OpenVideo, seconds: number) {
  const start = toSeconds(video.picture.startTime, video.picture)
  await video.demuxer.seek(start + seconds, -1, AVSEEK_FLAG_BACKWARD)
}

/** The packets of the picture from the next key packet on, for one decoder. */
export function* packetsFromKey({ demuxer, picture, palette }: OpenVideo): Generator<Packet> {
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
