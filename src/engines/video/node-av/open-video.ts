import { Demuxer } from 'node-av/api'
import {
  AV_DISPOSITION_ATTACHED_PIC,
  AV_DISPOSITION_DEFAULT,
  AV_NOPTS_VALUE,
  AVDISCARD_ALL,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
  AVSEEK_FLAG_BACKWARD,
} from 'node-av/constants'
import type { Stream } from 'node-av/lib'
import { chooseTrack } from '../choose-track.ts'
import { type Container, identifyContainer } from '../container.ts'
import { corruptVideo, noVideo, oversizedPicture } from '../refusals.ts'
import { maxPixels, positive } from '../video-facts.ts'
import { hasFewColours, readPalette } from './palette.ts'

/** It stands at its beginning. */
export type OpenVideo = AsyncDisposable & {
  container: Container
  demuxer: Demuxer
  picture: Stream
  sound: Stream | undefined
  palette: Buffer | undefined
  durationSeconds: number
}

/**
 * [Note: The first picture tells what the header does not]
 * FFmpeg's own look at a stream decodes a picture to learn its pixel format (20 ms at 1080p). We decode one for the
 * poster anyway and ask that one, so MP4 and MOV are opened by their header alone (0.5 ms), unless that is incomplete.
 */
export async function openVideo(path: string, { isThorough = false } = {}): Promise<OpenVideo> {
  const container = await identifyContainer(path)
  if (isThorough || container.demuxer !== 'mov') return openAs(container, path, { isQuick: false })
  const video = await openAs(container, path, { isQuick: true })
  if (video.durationSeconds > 0) return video
  await video[Symbol.asyncDispose]()
  return openAs(container, path, { isQuick: false })
}

async function openAs(container: Container, path: string, { isQuick }: { isQuick: boolean }): Promise<OpenVideo> {
  const demuxer = await openDemuxer(container, path, isQuick)
  try {
    const picture = chooseTrack(demuxer.streams.filter(isPicture), describeTrack)
    const sound = chooseTrack(demuxer.streams.filter(isSound), describeTrack)
    if (!picture) throw sound ? noVideo() : corruptVideo()
    const { width, height } = picture.codecpar
    if (width * height > maxPixels) throw oversizedPicture()
    for (const stream of demuxer.streams) if (stream !== picture && stream !== sound) stream.discard = AVDISCARD_ALL
    const palette = readPalette(demuxer, picture)
    const toldSeconds = positive(demuxer.duration) || lengthOf(sound ? [picture, sound] : [picture])
    const isMeasured = toldSeconds === 0 && !isQuick
    const durationSeconds = isMeasured ? measureSeconds(demuxer, picture) : toldSeconds
    if (isMeasured || hasFewColours(picture)) await demuxer.seek(0, picture.index, AVSEEK_FLAG_BACKWARD)
    return {
      container,
      demuxer,
      picture,
      sound,
      palette,
      durationSeconds,
      [Symbol.asyncDispose]: () => demuxer.close(),
    }
  } catch (error) {
    await demuxer.close()
    throw error
  }
}

async function openDemuxer({ demuxer }: Container, path: string, isQuick: boolean) {
  try {
    return await Demuxer.open(path, {
      format: demuxer,
      skipStreamInfo: isQuick,
      options: {
        protocol_whitelist: 'file',
        format_whitelist: 'mov,mp4,m4a,3gp,3g2,mj2,avi',
        probesize: 10_000_000,
        analyzeduration: 5_000_000,
      },
    })
  } catch {
    // The file was readable a moment ago, so what failed is its content.
    throw corruptVideo()
  }
}

/** Cover art of a song is stored as a video track of one picture. */
function isPicture(stream: Stream) {
  return stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO && !stream.hasDisposition(AV_DISPOSITION_ATTACHED_PIC)
}

const isSound = ({ codecpar }: Stream) => codecpar.codecType === AVMEDIA_TYPE_AUDIO

const describeTrack = (stream: Stream) => ({
  isSwitchedOn: stream.hasDisposition(AV_DISPOSITION_DEFAULT),
  isSinglePicture: isPicture(stream) && stream.nbFrames === 1n,
})

/** From the first beginning to the last end: the sound may come in later. */
function lengthOf(streams: Stream[]) {
  const begins = streams.map((stream) => toSeconds(stream.startTime, stream))
  const ends = streams.map((stream, index) => (begins[index] ?? 0) + toSeconds(stream.duration, stream))
  return positive(Math.max(...ends) - Math.min(...begins))
}

/** A recorder writes at the very end how long it was; where it was cut off, only its pictures tell. */
function measureSeconds(demuxer: Demuxer, picture: Stream) {
  let end = 0
  for (const packet of demuxer.packetsSync(picture.index)) {
    if (!packet) break
    using held = packet
    end = Math.max(end, toSeconds(held.dts, picture) + toSeconds(held.duration, picture))
  }
  return end
}

/** A time of a stream in seconds; 0 where it has none. */
export function toSeconds(time: bigint, { timeBase }: Stream) {
  if (time === AV_NOPTS_VALUE) return 0
  return positive((Number(time) * timeBase.num) / timeBase.den)
}
