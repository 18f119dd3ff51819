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

/** The demuxer is positioned at the start. */
export type OpenVideo = AsyncDisposable & {
  container: Container
  demuxer: Demuxer
  videoStream: Stream
  audioStream: Stream | undefined
  palette: Buffer | undefined
  durationSeconds: number
}

/**
 * [Note: The first frame tells what the header does not]
 * FFmpeg's stream probing decodes a frame to learn its pixel format (20 ms at 1080p). The poster needs a decoded frame anyway,
 * so the pixel format is read from that one, and MP4 and MOV are opened by their header alone (0.5 ms) unless it is incomplete.
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
    const videoStream = chooseTrack(demuxer.streams.filter(isVideoStream), describeTrack)
    const audioStream = chooseTrack(demuxer.streams.filter(isAudioStream), describeTrack)
    if (!videoStream) throw audioStream ? noVideo() : corruptVideo()
    const { width, height } = videoStream.codecpar
    if (width * height > maxPixels) throw oversizedPicture()
    for (const stream of demuxer.streams)
      if (stream !== videoStream && stream !== audioStream) stream.discard = AVDISCARD_ALL
    const palette = readPalette(demuxer, videoStream)
    const headerSeconds =
      positive(demuxer.duration) || secondsOf(audioStream ? [videoStream, audioStream] : [videoStream])
    const isMeasured = headerSeconds === 0 && !isQuick
    const durationSeconds = isMeasured ? measureSeconds(demuxer, videoStream) : headerSeconds
    if (isMeasured || hasPalette(videoStream)) await demuxer.seek(0, videoStream.index, AVSEEK_FLAG_BACKWARD)
    return {
      container,
      demuxer,
      videoStream,
      audioStream,
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

/** The cover of a song is stored as a video stream of one frame. */
function isVideoStream(stream: Stream) {
  return stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO && !stream.hasDisposition(AV_DISPOSITION_ATTACHED_PIC)
}

const isAudioStream = ({ codecpar }: Stream) => codecpar.codecType === AVMEDIA_TYPE_AUDIO

const describeTrack = (stream: Stream) => ({
  isEnabled: stream.hasDisposition(AV_DISPOSITION_DEFAULT),
  isSingleFrame: isVideoStream(stream) && stream.nbFrames === 1n,
})

/** From the earliest start to the latest end, because audio may start later than the video. */
function secondsOf(streams: Stream[]) {
  const starts = streams.map((stream) => toSeconds(stream.startTime, stream))
  const ends = streams.map((stream, index) => (starts[index] ?? 0) + toSeconds(stream.duration, stream))
  return positive(Math.max(...ends) - Math.min(...starts))
}

/** Recorders write the length at the very end; for a truncated recording it is measured by its packets. */
function measureSeconds(demuxer: Demuxer, videoStream: Stream) {
  let end = 0
  for (const packet of demuxer.packetsSync(videoStream.index)) {
    if (!packet) break
    using held = packet
    end = Math.max(end, toSeconds(held.dts, videoStream) + toSeconds(held.duration, videoStream))
  }
  return end
}

/** A timestamp of a stream in seconds; 0 for none. */
export function toSeconds(time: bigint, { timeBase }: Stream) {
  if (time === AV_NOPTS_VALUE) return 0
  return positive((Number(time) * timeBase.num) / timeBase.den)
}

/**
 * The palette of a video with at most 256 colors, as made before 2000. The demuxer attaches it to the very first packet only, so
 * code that seeks must remember it.
 */
function readPalette(demuxer: Demuxer, videoStream: Stream): Buffer | undefined {
  if (!hasPalette(videoStream)) return undefined
  for (const packet of demuxer.packetsSync(videoStream.index)) {
    using held = packet
    const colours = held?.getSideData(AV_PKT_DATA_PALETTE)
    return colours ? Buffer.from(colours) : undefined
  }
  return undefined
}

function hasPalette({ codecpar: { bitsPerCodedSample } }: Stream) {
  return bitsPerCodedSample >= 1 && bitsPerCodedSample <= 8
}

/** Adds the palette to the first packet of a decoder, unless the packet brings its own. */
export function addPalette(packet: Packet, palette: Buffer | undefined) {
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
  const { demuxer, container, videoStream, audioStream, durationSeconds } = video
  const { num, den } = videoStream.avgFrameRate
  return {
    container: container.name,
    durationSeconds,
    framesPerSecond: positive(num / den),
    videoCodec: codecName(videoStream),
    audioCodec: audioStream ? codecName(audioStream) : null,
    pixelFormat: avGetPixFmtName(frame.format as constants.AVPixelFormat) ?? 'unknown',
    source: readPictureSource(video, frame),
    tags: demuxer.metadata,
  }
}

export function readPictureSource({ videoStream }: OpenVideo, frame: Frame): PictureSource {
  const { num, den } = videoStream.sampleAspectRatio.num > 0 ? videoStream.sampleAspectRatio : frame.sampleAspectRatio
  return {
    codedWidth: frame.width,
    codedHeight: frame.height,
    pixelAspect: plausiblePixelAspect(num / den),
    orientation: orientationOf(readDisplayMatrix(videoStream)),
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
