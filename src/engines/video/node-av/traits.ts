import * as constants from 'node-av/constants'
import { avGetPixFmtName, type Frame, type Stream } from 'node-av/lib'
import type { PictureSource } from '../filters.ts'
import { orientationOf } from '../orientation.ts'
import { plausiblePixelAspect, positive, type VideoTraits } from '../video-facts.ts'
import type { OpenVideo } from './open-video.ts'

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
