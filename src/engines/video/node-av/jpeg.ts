import { writeFile } from 'node:fs/promises'
import { Encoder, FilterAPI } from 'node-av/api'
import { AV_CODEC_FLAG_QSCALE, FF_ENCODER_MJPEG, FF_QP2LAMBDA } from 'node-av/constants'
import type { Frame } from 'node-av/lib'
import { corruptVideo } from '../refusals.ts'

/** FFmpeg's scale from 2 (best) to 31; 2 lies close to the 90 of other encoders, 5 suits small pictures. */
type JpegScale = 2 | 3 | 5

/** One filtered picture. The library's own scaler mistakes the range of its colours and makes grey of black. */
export async function filterFrame(frame: Frame, filter: string): Promise<Frame> {
  using graph = FilterAPI.create(filter, { threads: 1 })
  const [picture, ...others] = await graph.processAll(frame)
  for (const other of others) other.free()
  if (!picture) throw corruptVideo()
  return picture
}

/** Writes a picture in `yuvj420p`. */
export async function writeJpeg(picture: Frame, path: string, scale: JpegScale) {
  picture.pts = 0n
  picture.quality = scale * FF_QP2LAMBDA
  using encoder = await Encoder.create(FF_ENCODER_MJPEG, { threadCount: 1 })
  encoder.setCodecFlags(AV_CODEC_FLAG_QSCALE)
  const packets = await encoder.encodeAll(picture)
  try {
    const bytes = packets[0]?.data
    if (!bytes) throw corruptVideo()
    await writeFile(path, bytes)
  } finally {
    for (const packet of packets) packet.free()
  }
}
