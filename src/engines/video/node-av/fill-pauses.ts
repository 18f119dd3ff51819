import { AV_NOPTS_VALUE, AV_SAMPLE_FMT_U8, AV_SAMPLE_FMT_U8P, type AVSampleFormat } from 'node-av/constants'
import { avGetBytesPerSample, Frame } from 'node-av/lib'

const everySeconds = 10
const samples = 1024

/**
 * `aresample` writes a pause out in one piece, and an hour of it would fill the memory. So what it is given has a little
 * silence every ten seconds, and it has only the rest to fill.
 */
export function createPauseFiller() {
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
