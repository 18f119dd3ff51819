import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createProcessPool } from '#platform/server/process-pool/process-pool.ts'

/** A tiny video for a test: red and green above blue and white; every further scene has them elsewhere. */
export type Clip = {
  path: string
  format: 'mp4' | 'mov' | 'avi' | 'matroska' | 'ipod'
  videoCodec: 'libx264' | 'mjpeg' | 'libvpx-vp9' | 'rawvideo' | null
  audioCodec: 'aac' | 'pcm_s16le' | null
  channels: 'mono' | '7.1'
  samplesPerSecond: number
  startsAtSeconds: { picture: number; sound: number }
  /** In the middle of the sound, without a packet. */
  soundPauseSeconds: number
  /** Half as large, and white: a cover of one picture, or a view that is switched off. */
  trackBefore: 'cover' | 'switched-off' | null
  width: number
  height: number
  frames: number
  framesPerSecond: number
  keyframeInterval: number
  scenes: number
  /** Plain ones at the beginning, and how bright these are, of 255. */
  plainFrames: number
  plainGrey: number
  /** Every frame shows the odd lines of one moment and the even lines of the next, as camcorders record. */
  isInterlaced: boolean
  pixelFormat: 'yuv420p' | 'yuvj420p' | 'yuv420p10le' | 'yuv444p' | 'pal8'
  /** How brightness is written; HDR shows the same picture, its white as bright as paper. */
  transfer: 'sdr' | 'pq' | 'hlg'
  /** Width of a pixel divided by its height, as FFmpeg writes it. */
  pixelAspect: string
  matrix: number[] | null
  tags: Record<string, string>
  /** Where an MP4 keeps its index: at its end, at its beginning, or a part before each group of pictures. */
  index: 'last' | 'first' | 'fragments'
}

const usualClip: Omit<Clip, 'path'> = {
  format: 'mp4',
  videoCodec: 'libx264',
  audioCodec: null,
  channels: 'mono',
  samplesPerSecond: 48_000,
  startsAtSeconds: { picture: 0, sound: 0 },
  soundPauseSeconds: 0,
  trackBefore: null,
  width: 64,
  height: 48,
  frames: 20,
  framesPerSecond: 10,
  keyframeInterval: 10,
  scenes: 1,
  plainFrames: 0,
  plainGrey: 0,
  isInterlaced: false,
  pixelFormat: 'yuv420p',
  transfer: 'sdr',
  pixelAspect: '1',
  matrix: null,
  tags: {},
  index: 'last',
}

/** AVI as old cameras wrote it: a JPEG for every picture. */
export const mjpegAvi = { format: 'avi', videoCodec: 'mjpeg', pixelFormat: 'yuvj420p' } as const

/** The display matrix of a phone that was held upright. */
export const clockwise = [0, 65_536, 0, -65_536, 0, 0, 48 * 65_536, 0, 2 ** 30]

/** Makes clips in a child process, as node-av never runs in ours. */
export function createClipMaker(directory: string) {
  const entry = new URL('./clip-worker.ts', import.meta.url)
  const pool = createProcessPool<Clip, void>({ entry, size: 1, timeoutMs: 300_000 })
  return {
    async make(wanted: Partial<Clip> = {}) {
      const clip: Clip = { ...usualClip, path: join(directory, `${randomUUID()}.video`), ...wanted }
      await pool.run(clip)
      return clip.path
    },
    close: () => pool.close(),
  }
}
