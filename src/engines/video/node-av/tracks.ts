import { type Decoder, Encoder, FilterAPI, type Muxer } from 'node-av/api'
import {
  AV_CHANNEL_ORDER_NATIVE,
  AV_NOPTS_VALUE,
  AV_SAMPLE_FMT_U8,
  AV_SAMPLE_FMT_U8P,
  AVMEDIA_TYPE_VIDEO,
  type AVSampleFormat,
  FF_ENCODER_AAC,
  FF_ENCODER_LIBX264,
} from 'node-av/constants'
import { avChannelLayoutDefault, avGetBytesPerSample, Frame, type Packet, type Stream } from 'node-av/lib'
import { corruptVideo } from '../video-tasks.ts'
import { createDecoder, decodeLeniently, isDiscarded } from './decode.ts'

/** Writes one stream into the new file. */
export type Track = Disposable & {
  feed(packet: Packet): Promise<void>
  /** Writes the packets that are still buffered. */
  finish(): Promise<void>
  /** Whether a pause between two packets is written as silence. */
  fillsPauses: boolean
  /** Packets of this stream that reached the new file. */
  written(): number
}

/**
 * Copies packets unchanged. Frames hidden at the start stay hidden; frames cut away later are left out, and a video whose later
 * frames refer to them cannot be copied.
 */
export function copyTrack(output: Muxer, stream: Stream): Track {
  const index = output.addStream(stream)
  // MP4 may not know a codec tag that MOV uses; 0 lets the muxer choose.
  const parameters = output.getStream(index)?.codecpar
  if (parameters) parameters.codecTag = 0
  const isVideo = stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO
  let written = 0
  let lastRead: bigint | undefined
  let hasSkipped = false
  return {
    async feed(packet) {
      // A video that was cut in its middle steps back in time to the frames that the next ones refer to.
      const isBeforeFirst = lastRead === undefined || (packet.pts < 0n && packet.dts > lastRead)
      if (isDiscarded(packet) && !isBeforeFirst) {
        hasSkipped = true
        return
      }
      if (hasSkipped && isVideo) throw corruptVideo('This video was cut where it cannot be copied.')
      lastRead = packet.dts
      await output.writePacket(packet, index)
      written++
    },
    async finish() {},
    fillsPauses: false,
    written: () => written,
    [Symbol.dispose]() {},
  }
}

/** 8-bit H.264 that every browser plays, small enough and encoded fast enough for a home server. */
export async function h264Track(output: Muxer, stream: Stream, { filter, keyframeInterval, step }: H264Options) {
  const decoder = await createDecoder(stream, 0)
  const graph = FilterAPI.create(filter)
  const encoder = await Encoder.create(FF_ENCODER_LIBX264, {
    decoder,
    filter: graph,
    gopSize: keyframeInterval,
    bitrate: 0,
    options: { preset: 'veryfast', crf: 23, profile: 'high' },
  })
  return encodedTrack(output, { decoder, graph, encoder, step })
}

type H264Options = { filter: string; keyframeInterval: number; step: () => void }

export async function aacTrack(output: Muxer, stream: Stream, step: () => void) {
  const decoder = await createDecoder(stream)
  // `async` fills gaps with silence, and `first_pts` fills one before audio that starts late, because the encoder counts from its
  // first sample. So audio and video stay in sync.
  const graph = FilterAPI.create(
    'aresample=48000:async=1:first_pts=0,aformat=sample_fmts=fltp:channel_layouts=stereo|mono,asetnsamples=n=1024:p=0',
  )
  const encoder = await Encoder.create(FF_ENCODER_AAC, { decoder, filter: graph, bitrate: '128k' })
  const silenceBefore = createPauseFiller()
  return encodedTrack(output, { decoder, graph, encoder, step, prepare: setChannelMask, silenceBefore })
}

type Stages = {
  decoder: Decoder
  graph: FilterAPI
  encoder: Encoder
  /** Called for each frame, because one packet may stand for an hour of silence. */
  step: () => void
  /** Changes a decoded frame so that the filters accept it. */
  prepare?: (frame: Frame) => void
  /** Yields silence that bridges the pause before a frame. */
  silenceBefore?: (frame: Frame) => Iterable<Frame>
}

/** Decodes, filters and encodes. Damage in the source is skipped; errors of this program or the disk are thrown. */
function encodedTrack(output: Muxer, { decoder, graph, encoder, step, prepare, silenceBefore }: Stages): Track {
  const index = output.addStream(encoder)
  let written = 0

  async function write(packets: Packet[]) {
    for (const packet of packets) {
      using held = packet
      await output.writePacket(held, index)
      written++
    }
  }

  async function encode(frames: Frame[]) {
    for (const frame of frames) {
      using held = frame
      await write(await encoder.encodeAll(held))
      step()
    }
  }

  async function filterAndEncode(frame: Frame) {
    using held = frame
    await encode(await graph.processAll(held))
  }

  async function filterAll(frames: Frame[]) {
    for (const frame of frames) {
      prepare?.(frame)
      for (const silence of silenceBefore?.(frame) ?? []) await filterAndEncode(silence)
      await filterAndEncode(frame)
    }
  }

  return {
    feed: async (packet) => filterAll(await decodeLeniently(decoder, packet)),
    async finish() {
      await filterAll(await decodeLeniently(decoder, null))
      if (graph.isFilterInitialized) for await (const frame of graph.flushFrames()) await encode([frame])
      if (encoder.isEncoderInitialized) await write(await encoder.encodeAll(null))
    },
    fillsPauses: silenceBefore !== undefined,
    written: () => written,
    [Symbol.dispose]() {
      encoder.close()
      graph.close()
      decoder.close()
    },
  }
}

const silenceIntervalSeconds = 10
const samples = 1024

/**
 * `aresample` writes a pause in one piece, so an hour of silence would fill the memory. A little silence every ten seconds leaves
 * it short gaps to fill.
 */
function createPauseFiller() {
  let last = 0n
  return function* silenceBefore({ pts, timeBase, format, sampleRate, channelLayout }: Frame): Generator<Frame> {
    if (pts === AV_NOPTS_VALUE || timeBase.num <= 0) return
    const step = BigInt(Math.ceil((silenceIntervalSeconds * timeBase.den) / timeBase.num))
    // Audio frames have no other format.
    const audio = { nbSamples: samples, format: format as AVSampleFormat, sampleRate, channelLayout, timeBase }
    for (let at = last + step; at < pts - step / 2n; at += step) {
      yield Frame.fromAudioBuffer(silenceOf(audio.format, channelLayout.nbChannels), { ...audio, pts: at })
    }
    last = pts
  }
}

/** Silence is the middle value in unsigned 8-bit samples. */
function silenceOf(format: AVSampleFormat, channels: number) {
  const isUnsigned = format === AV_SAMPLE_FMT_U8 || format === AV_SAMPLE_FMT_U8P
  return Buffer.alloc(samples * channels * avGetBytesPerSample(format), isUnsigned ? 0x80 : 0)
}

/**
 * Filters take the channels as a bit mask. A custom channel order has none, and the library would pass a memory address instead.
 * Two channels are always left and right.
 */
function setChannelMask(frame: Frame) {
  const { order, nbChannels } = frame.channelLayout
  if (order === AV_CHANNEL_ORDER_NATIVE && nbChannels !== 2) return
  const standard = avChannelLayoutDefault(nbChannels)
  const hasStandard = standard.order === AV_CHANNEL_ORDER_NATIVE
  frame.channelLayout = hasStandard
    ? standard
    : { nbChannels, order: AV_CHANNEL_ORDER_NATIVE, mask: (1n << BigInt(nbChannels)) - 1n }
}
