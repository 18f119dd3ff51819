import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createProcessPool } from '#platform/server/process-pool/process-pool.ts'

/** A tiny video for a test: red and green above blue and white, in other positions in each further scene. */
export type Clip = {
  path: string
  format: 'mp4' | 'mov' | 'avi' | 'matroska' | 'ipod'
  videoCodec: 'libx264' | 'mjpeg' | 'libvpx-vp9' | 'rawvideo' | null
  audioCodec: 'aac' | 'pcm_s16le' | null
  channels: 'mono' | '7.1'
  samplesPerSecond: number
  startsAtSeconds: { video: number; audio: number }
  /** Pause in the middle of the audio, without a packet. */
  audioPauseSeconds: number
  /** Another track of half the size, all white: a cover of one frame, or a disabled view. */
  trackBefore: 'cover' | 'disabled' | null
  width: number
  height: number
  frames: number
  framesPerSecond: number
  keyframeInterval: number
  scenes: number
  /** Number of plain frames at the start, and their brightness of 255. */
  plainFrames: number
  plainGrey: number
  /** Every frame has the odd lines of one moment and the even lines of the next, as camcorders record. */
  isInterlaced: boolean
  pixelFormat: 'yuv420p' | 'yuvj420p' | 'yuv420p10le' | 'yuv444p' | 'pal8'
  /** The transfer function; HDR shows the same image, with its white at paper brightness. */
  transfer: 'sdr' | 'pq' | 'hlg'
  /** Width of a pixel divided by its height, as FFmpeg writes it. */
  pixelAspect: string
  matrix: number[] | null
  tags: Record<string, string>
  /** Where an MP4 has its index: at the end, at the start, or a part before each group of frames. */
  index: 'last' | 'first' | 'fragments'
}

const defaultClip: Omit<Clip, 'path'> = {
  format: 'mp4',
  videoCodec: 'libx264',
  audioCodec: null,
  channels: 'mono',
  samplesPerSecond: 48_000,
  startsAtSeconds: { video: 0, audio: 0 },
  audioPauseSeconds: 0,
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

/** AVI as old cameras wrote it, with a JPEG per frame. */
export const mjpegAvi = { format: 'avi', videoCodec: 'mjpeg', pixelFormat: 'yuvj420p' } as const

/** The display matrix of a phone held upright. */
export const clockwise = [0, 65_536, 0, -65_536, 0, 0, 48 * 65_536, 0, 2 ** 30]

/** Makes clips in a child process, because node-av must not run in the process of the tests. */
export function createClipMaker(directory: string) {
  const entry = new URL('./clip-worker.ts', import.meta.url)
  const pool = createProcessPool<Clip, void>({ entry, size: 1, timeoutMs: 300_000 })
  return {
    async make(overrides: Partial<Clip> = {}) {
      const clip: Clip = { ...defaultClip, path: join(directory, `${randomUUID()}.video`), ...overrides }
      await pool.run(clip)
      return clip.path
    },
    close: () => pool.close(),
  }
}
