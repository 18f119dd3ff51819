import { z } from 'zod'
import { chooseTrack } from '../choose-track.ts'
import { identifyContainer } from '../container.ts'
import type { PictureSource } from '../filters.ts'
import { orientationOf } from '../orientation.ts'
import { corruptVideo, noVideo, oversizedPicture } from '../refusals.ts'
import { maxPixels, plausiblePixelAspect, positive, type VideoTraits } from '../video-facts.ts'

const ProbedStream = z.object({
  index: z.number(),
  codec_type: z.string().optional(),
  codec_name: z.string().default('unknown'),
  width: z.number().default(0),
  height: z.number().default(0),
  pix_fmt: z.string().default('unknown'),
  color_transfer: z.string().optional(),
  color_space: z.string().optional(),
  field_order: z.string().optional(),
  sample_aspect_ratio: z.string().default('1:1'),
  avg_frame_rate: z.string().default('0/0'),
  disposition: z.object({ attached_pic: z.number().default(0), default: z.number().default(0) }).optional(),
  nb_frames: z.string().optional(),
  side_data_list: z.array(z.object({ displaymatrix: z.string().optional() })).default([]),
})
type ProbedStream = z.infer<typeof ProbedStream>

const Probed = z.object({
  streams: z.array(ProbedStream).default([]),
  format: z.object({ duration: z.string().optional(), tags: z.record(z.string(), z.string()).default({}) }),
})

export type ProbedVideo = { traits: VideoTraits; demuxer: string; pictureIndex: number; soundIndex: number | null }

/** See [Note: The bytes choose the demuxer]. */
export async function probeWith(runProbe: (args: string[]) => Promise<string>, path: string): Promise<ProbedVideo> {
  const { name, demuxer } = await identifyContainer(path)
  const args = ['-v', 'error', ...inputArguments(demuxer), '-show_format', '-show_streams', '-of', 'json', path]
  const { streams, format } = parseAnswer(await runProbe(args))
  const picture = chooseTrack(streams.filter(isPicture), describeTrack)
  const sound = chooseTrack(
    streams.filter(({ codec_type }) => codec_type === 'audio'),
    describeTrack,
  )
  if (!picture) throw sound ? noVideo() : corruptVideo()
  if (picture.width * picture.height > maxPixels) throw oversizedPicture()
  if (picture.width === 0 || picture.height === 0) throw corruptVideo()
  return {
    demuxer,
    pictureIndex: picture.index,
    soundIndex: sound?.index ?? null,
    traits: {
      container: name,
      durationSeconds: positive(Number(format.duration)),
      framesPerSecond: positive(ratio(picture.avg_frame_rate)),
      videoCodec: picture.codec_name,
      audioCodec: sound?.codec_name ?? null,
      pixelFormat: picture.pix_fmt,
      source: readPictureSource(picture),
      tags: format.tags,
    },
  }
}

export const inputArguments = (demuxer: string) => ['-protocol_whitelist', 'file', '-f', demuxer]

const isPicture = ({ codec_type, disposition }: ProbedStream) =>
  codec_type === 'video' && disposition?.attached_pic !== 1

const describeTrack = (stream: ProbedStream) => ({
  isSwitchedOn: stream.disposition?.default === 1,
  isSinglePicture: isPicture(stream) && stream.nb_frames === '1',
})

function parseAnswer(answer: string) {
  try {
    return Probed.parse(JSON.parse(answer))
  } catch {
    throw corruptVideo()
  }
}

function readPictureSource(stream: ProbedStream): PictureSource {
  return {
    codedWidth: stream.width,
    codedHeight: stream.height,
    pixelAspect: plausiblePixelAspect(ratio(stream.sample_aspect_ratio)),
    orientation: orientationOf(readDisplayMatrix(stream)),
    transfer: transferOf(stream.color_transfer),
    isInterlaced: ['tt', 'bb', 'tb', 'bt'].includes(stream.field_order ?? ''),
    hasColourMatrix: stream.color_space !== undefined && stream.color_space !== 'unknown',
  }
}

/** Three lines such as `00000000:            0       65536           0`. */
function readDisplayMatrix({ side_data_list }: ProbedStream) {
  const text = side_data_list.find((data) => data.displaymatrix)?.displaymatrix
  if (!text) return null
  const rows = text.split('\n').map((line) => line.replace(/^\s*\d+:/, '').trim())
  return rows.flatMap((row) => (row ? row.split(/\s+/).map(Number) : []))
}

function transferOf(curve: string | undefined): PictureSource['transfer'] {
  if (curve === 'smpte2084') return 'pq'
  return curve === 'arib-std-b67' ? 'hlg' : 'sdr'
}

/** `30000/1001` or `16:15`. */
function ratio(text: string) {
  const [upper, lower] = text.split(/[/:]/).map(Number)
  return (upper ?? Number.NaN) / (lower ?? 1)
}
