import { Demuxer } from 'node-av/api'
import * as constants from 'node-av/constants'
import {
  AV_DISPOSITION_ATTACHED_PIC,
  AV_DISPOSITION_DEFAULT,
  AV_NOPTS_VALUE,
  AV_PKT_DATA_PALETTE,
  AVDISCARD_ALL,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
  AVSEEK_FLAG_BACKWARD,
} from 'node-av/constants'
import { avGetPixFmtName, type Frame, type Packet, type Stream } from 'node-av/lib'
import { type Container, identifyContainer } from '../container.ts'
import { orientationOf, type PictureSource } from '../filters.ts'
import { chooseTrack, maxPixels, plausiblePixelAspect, positive, type VideoTraits } from '../video-facts.ts'
import { corruptVideo, noVideo, oversizedPicture } from '../video-tasks.ts'

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

/**
 * The colours of a picture that has 256 or fewer of them, as videos had before 2000. The demuxer tells them beside the very
 * first packet and never again, so whoever moves in the video must keep them.
 */
function readPalette(demuxer: Demuxer, picture: Stream): Buffer | undefined {
  if (!hasFewColours(picture)) return undefined
  for (const packet of demuxer.packetsSync(picture.index)) {
    using held = packet
    const colours = held?.getSideData(AV_PKT_DATA_PALETTE)
    return colours ? Buffer.from(colours) : undefined
  }
  return undefined
}

function hasFewColours({ codecpar: { bitsPerCodedSample } }: Stream) {
  return bitsPerCodedSample >= 1 && bitsPerCodedSample <= 8
}

/** For the first packet of each decoder; where the video changes its colours, the packet says so itself. */
export function givePalette(packet: Packet, palette: Buffer | undefined) {
  if (palette && !packet.getSideData(AV_PKT_DATA_PALETTE)) packet.addSideData(AV_PKT_DATA_PALETTE, palette)
}

const codecNames = new Map(
  Object.entries(constants)
    .filter(([name]) => name.startsWith('AV_CODEC_ID_'))
    .map(([name, id]) => [Number(id), name.slice('AV_CODEC_ID_'.length).toLowerCase()]),
)

/** FFmpeg's name of the codec, not of the library that decodes it. */
export const codecName = ({ codecpar }: Stream) => codecNames.get(codecpar.codecId) ?? 'unknown'

export function readTraits(video: OpenVideo, frame: Frame): VideoTraits {
  const { demuxer, container, picture, sound, durationSeconds } = video
  const { num, den } = picture.avgFrameRate
  return {
    container: container.name,
    durationSeconds,
    framesPerSecond: positive(num / den),
    videoCodec: codecName(picture),
    audioCodec: sound ? codecName(sound) : null,
    pixelFormat: avGetPixFmtName(frame.format as constants.AVPixelFormat) ?? 'unknown',
    source: readPictureSource(video, frame),
    tags: demuxer.metadata,
  }
}

export function readPictureSource({ picture }: OpenVideo, frame: Frame): PictureSource {
  const { num, den } = picture.sampleAspectRatio.num > 0 ? picture.sampleAspectRatio : frame.sampleAspectRatio
  return {
    codedWidth: frame.width,
    codedHeight: frame.height,
    pixelAspect: plausiblePixelAspect(num / den),
    orientation: orientationOf(readDisplayMatrix(picture)),
    transfer: transferOf(frame.colorTrc),
    isInterlaced: (frame.flags & constants.AV_FRAME_FLAG_INTERLACED) !== 0,
    hasColourMatrix: frame.colorSpace !== constants.AVCOL_SPC_UNSPECIFIED,
  }
}

function readDisplayMatrix({ codecpar }: Stream) {
  const bytes = codecpar.getCodedSideData(constants.AV_PKT_DATA_DISPLAYMATRIX)
  if (!bytes || bytes.length < 36) return null
  return Array.from({ length: 9 }, (_, index) => bytes.readInt32LE(index * 4))
}

function transferOf(curve: number): PictureSource['transfer'] {
  if (curve === constants.AVCOL_TRC_SMPTE2084) return 'pq'
  return curve === constants.AVCOL_TRC_ARIB_STD_B67 ? 'hlg' : 'sdr'
}
