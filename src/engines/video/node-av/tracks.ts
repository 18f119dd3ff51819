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
import { createDecoder, decodeLeniently, isCutAway } from './decode.ts'

/** The way of one stream into the new file. */
export type Track = Disposable & {
  feed(packet: Packet): Promise<void>
  /** Writes what is still on the way. */
  finish(): Promise<void>
  /** Whether a pause between two packets is written out, as silence. */
  fillsPauses: boolean
  /** Packets of this stream that reached the new file. */
  written(): number
}

/**
 * Passes packets on as they are. What was cut away at the beginning stays, hidden as it was; what was cut away later has no place in
 * a copy, and pictures that are drawn from it cannot be copied.
 */
export function copyTrack(output: Muxer, stream: Stream): Track {
  const index = output.addStream(stream)
  // A code that MOV uses may be none that MP4 knows; 0 lets the muxer choose.
  const parameters = output.getStream(index)?.codecpar
  if (parameters) parameters.codecTag = 0
  const isPicture = stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO
  let written = 0
  let lastRead: bigint | undefined
  let hasLeftOut = false
  return {
    async feed(packet) {
      // Where a film was cut in its middle, it goes back in time to what the next pictures are drawn from.
      const isBeforeAll = lastRead === undefined || (packet.pts < 0n && packet.dts > lastRead)
      if (isCutAway(packet) && !isBeforeAll) {
        hasLeftOut = true
        return
      }
      if (hasLeftOut && isPicture) throw corruptVideo('This video was cut where it cannot be copied.')
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

/** 8-bit H.264 that every browser plays, small enough and made fast enough for a home server. */
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
  // `async` fills gaps with silence, `first_pts` the one before a sound that comes in later: the encoder counts from its first
  // sound. So sound and picture stay together.
  const graph = FilterAPI.create(
    'aresample=48000:async=1:first_pts=0,aformat=sample_fmts=fltp:channel_layouts=stereo|mono,asetnsamples=n=1024:p=0',
  )
  const encoder = await Encoder.create(FF_ENCODER_AAC, { decoder, filter: graph, bitrate: '128k' })
  const silenceBefore = createPauseFiller()
  return encodedTrack(output, { decoder, graph, encoder, step, prepare: nameChannels, silenceBefore })
}

type Stages = {
  decoder: Decoder
  graph: FilterAPI
  encoder: Encoder
  /** Called for each frame: one packet may stand for an hour of silence. */
  step: () => void
  /** Changes what was decoded into what the filters understand. */
  prepare?: (frame: Frame) => void
  /** What comes before a sound so that none is far from the one before. */
  silenceBefore?: (frame: Frame) => Iterable<Frame>
}

/** Decodes, filters and encodes: damage in the source is passed over, a fault of ours or of the disk is not. */
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

  async function takeIn(frames: Frame[]) {
    for (const frame of frames) {
      prepare?.(frame)
      for (const silence of silenceBefore?.(frame) ?? []) await filterAndEncode(silence)
      await filterAndEncode(frame)
    }
  }

  return {
    feed: async (packet) => takeIn(await decodeLeniently(decoder, packet)),
    async finish() {
      await takeIn(await decodeLeniently(decoder, null))
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

const everySeconds = 10
const samples = 1024

/**
 * `aresample` writes a pause out in one piece, and an hour of it would fill the memory. So what it is given has a little
 * silence every ten seconds, and it has only the rest to fill.
 */
function createPauseFiller() {
  let last = 0n
  return function* silenceBefore({ pts, timeBase, format, sampleRate, channelLayout }: Frame): Generator<Frame> {
    if (pts === AV_NOPTS_VALUE || timeBase.num <= 0) return
    const step = BigInt(Math.ceil((everySeconds * timeBase.den) / timeBase.num))
    // The frames of a sound have no other.
    const sound = { nbSamples: samples, format: format as AVSampleFormat, sampleRate, channelLayout, timeBase }
    for (let at = last + step; at < pts - step / 2n; at += step) {
      yield Frame.fromAudioBuffer(silenceOf(sound.format, channelLayout.nbChannels), { ...sound, pts: at })
    }
    last = pts
  }
}

/** In eight bits without a sign silence is the middle. */
function silenceOf(format: AVSampleFormat, channels: number) {
  const isUnsigned = format === AV_SAMPLE_FMT_U8 || format === AV_SAMPLE_FMT_U8P
  return Buffer.alloc(samples * channels * avGetBytesPerSample(format), isUnsigned ? 0x80 : 0)
}

/**
 * Filters are told where each channel of a sound belongs by a number, which an order of the file's own does not have: the
 * library would give them an address in memory. Two channels are left and right, whatever they are called.
 */
function nameChannels(frame: Frame) {
  const { order, nbChannels } = frame.channelLayout
  if (order === AV_CHANNEL_ORDER_NATIVE && nbChannels !== 2) return
  const usual = avChannelLayoutDefault(nbChannels)
  const hasUsual = usual.order === AV_CHANNEL_ORDER_NATIVE
  frame.channelLayout = hasUsual
    ? usual
    : { nbChannels, order: AV_CHANNEL_ORDER_NATIVE, mask: (1n << BigInt(nbChannels)) - 1n }
}
