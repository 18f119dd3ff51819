import { Encoder, FilterAPI, Muxer } from 'node-av/api'
import * as constants from 'node-av/constants'
import { Dictionary, type FormatContext, Frame, Log } from 'node-av/lib'
import { serveTasks } from '#platform/server/process-pool/serve-tasks.ts'
import type { Clip } from './clips.ts'
import { drawQuadrants } from './quadrants.ts'

const indexOptions = {
  last: {},
  first: { movflags: '+faststart' },
  fragments: { movflags: '+frag_keyframe+empty_moov+default_base_moof+skip_trailer' },
}

Log.setLevel(constants.AV_LOG_QUIET)
serveTasks<Clip, void>(makeClip)

async function makeClip(clip: Clip) {
  await using output = await Muxer.open(clip.path, {
    format: clip.format,
    useAsyncWrite: false,
    options: indexOptions[clip.index],
    configure: (context) => label(context, clip),
  })
  using before = clip.trackBefore && (await videoStage(output, 'libx264', clip))
  using video = clip.videoCodec === null ? undefined : await videoStage(output, clip.videoCodec, clip)
  using audio = clip.audioCodec === null ? undefined : await audioStage(output, clip.audioCodec, clip)
  if (before) await feed(before, drawTrackBefore(clip))
  // Audio comes last: during its pause the muxer then does not wait for video and writes what it has.
  if (video) await feed(video, drawFrames(clip), clip.startsAtSeconds.video)
  if (audio) await feed(audio, drawAudio(clip), clip.startsAtSeconds.audio)
}

function label(context: FormatContext, { matrix, tags, trackBefore }: Clip) {
  context.metadata = Dictionary.fromObject(tags)
  // The library enables the first video and the first audio stream.
  const [first, ...others] = context.streams ?? []
  if (trackBefore) for (const stream of others) stream.disposition = constants.AV_DISPOSITION_DEFAULT
  if (first && trackBefore === 'disabled') first.disposition = 0 as constants.AVDisposition
  if (!matrix) return
  const bytes = Buffer.alloc(36)
  for (const [index, value] of matrix.entries()) bytes.writeInt32LE(value, index * 4)
  context.streams?.[0]?.codecpar.addCodedSideData(constants.AV_PKT_DATA_DISPLAYMATRIX, bytes)
}

type Stage = Disposable & { output: Muxer; graph: FilterAPI; encoder: Encoder; index: number }

async function videoStage(output: Muxer, codec: NonNullable<Clip['videoCodec']>, clip: Clip): Promise<Stage> {
  // A JPEG cannot name its color matrix; readers assume this one.
  const coding = codec === 'mjpeg' ? 'out_color_matrix=bt601:out_range=pc' : 'out_color_matrix=bt709:out_range=tv'
  const weave = clip.isInterlaced ? ',tinterlace=interleave_top' : ''
  const graph = FilterAPI.create(
    `scale=${coding},format=${clip.pixelFormat},${colourFilter(clip)},setsar=${clip.pixelAspect}${weave}`,
  )
  const encoder = await Encoder.create(codec as unknown as constants.FFVideoEncoder, {
    threadCount: 1,
    gopSize: clip.keyframeInterval,
    bitrate: codec === 'mjpeg' ? 4_000_000 : 0,
    options: codec === 'libvpx-vp9' ? { deadline: 'realtime', 'cpu-used': '8', crf: '30' } : {},
  })
  if (clip.isInterlaced) encoder.setCodecFlags(constants.AV_CODEC_FLAG_INTERLACED_DCT)
  return stage(output, graph, encoder)
}

function colourFilter({ transfer }: Clip) {
  const ordinary = 'setparams=color_primaries=bt709:color_trc=bt709'
  if (transfer === 'sdr') return ordinary
  const curve = transfer === 'pq' ? 'smpte2084' : 'arib-std-b67'
  return `${ordinary}:colorspace=bt709,zscale=p=bt2020:m=bt2020nc:t=${curve}:npl=203`
}

async function audioStage(output: Muxer, codec: NonNullable<Clip['audioCodec']>, { channels }: Clip): Promise<Stage> {
  const format = codec === 'aac' ? 'fltp' : 's16'
  const graph = FilterAPI.create(`aformat=sample_fmts=${format}:channel_layouts=${channels},asetnsamples=n=1024:p=0`)
  return stage(output, graph, await Encoder.create(codec as unknown as constants.FFAudioEncoder))
}

function stage(output: Muxer, graph: FilterAPI, encoder: Encoder): Stage {
  const index = output.addStream(encoder)
  const dispose = () => {
    encoder.close()
    graph.close()
  }
  return { output, graph, encoder, index, [Symbol.dispose]: dispose }
}

async function feed({ output, graph, encoder, index }: Stage, frames: Iterable<Frame>, startsAtSeconds = 0) {
  const encode = async (frame: Frame | null) => {
    for (const packet of await encoder.encodeAll(frame)) {
      using held = packet
      // The encoder counts audio from its first sample, so the offset is added here.
      const later = BigInt(Math.round((startsAtSeconds * held.timeBase.den) / held.timeBase.num))
      held.pts += later
      held.dts += later
      await output.writePacket(held, index)
    }
    frame?.free()
  }
  for (const frame of frames) {
    using held = frame
    for (const filtered of await graph.processAll(held)) await encode(filtered)
  }
  for await (const filtered of graph.flushFrames()) await encode(filtered)
  await encode(null)
}

function* drawFrames({ width, height, frames, framesPerSecond, scenes, plainFrames, plainGrey }: Clip) {
  const drawn = Array.from({ length: scenes }, (_, scene) => drawQuadrants({ width, height }, scene))
  const plain = Buffer.alloc(width * height * 3, plainGrey)
  for (let number = 0; number < frames; number++)
    yield Frame.fromVideoBuffer(number < plainFrames ? plain : drawn[Math.floor((number * scenes) / frames)]!, {
      width,
      height,
      format: constants.AV_PIX_FMT_RGB24,
      timeBase: { num: 1, den: framesPerSecond },
      pts: BigInt(number),
    })
}

function* drawTrackBefore({ trackBefore, width, height, frames, framesPerSecond }: Clip) {
  const white = Buffer.alloc(width * height * 3, 255)
  for (let number = 0; number < (trackBefore === 'cover' ? 1 : frames); number++) {
    yield Frame.fromVideoBuffer(white, {
      width: width / 2,
      height: height / 2,
      format: constants.AV_PIX_FMT_RGB24,
      timeBase: { num: 1, den: framesPerSecond },
      pts: BigInt(number),
    })
  }
}

function* drawAudio({ frames, framesPerSecond, samplesPerSecond: sampleRate, audioPauseSeconds }: Clip) {
  const samples = Math.floor((sampleRate * frames) / framesPerSecond)
  for (let start = 0; start < samples; start += 1024) {
    const count = Math.min(1024, samples - start)
    const wave = Float32Array.from({ length: count }, (_, index) => 0.3 * Math.sin((start + index) / 20))
    yield Frame.fromAudioBuffer(Buffer.from(wave.buffer), {
      nbSamples: count,
      format: constants.AV_SAMPLE_FMT_FLTP,
      sampleRate,
      channelLayout: { nbChannels: 1, order: constants.AV_CHANNEL_ORDER_NATIVE, mask: 4n },
      timeBase: { num: 1, den: sampleRate },
      pts: BigInt(start < samples / 2 ? start : start + audioPauseSeconds * sampleRate),
    })
  }
}
