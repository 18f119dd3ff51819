import type { Room } from './filters.ts'
import type { VideoFacts } from './video-facts.ts'

/** What a worker is asked to do; paths are absolute. */
export type VideoTask =
  | { kind: 'inspect'; path: string; poster?: PosterWish }
  | { kind: 'sprite'; path: string; outputPath: string }
  | { kind: 'sceneFrames'; path: string; directory: string; max: number }
  | { kind: 'convert'; path: string; outputPath: string; method: ConversionMethod }

export type PosterWish = { path: string; room: Room }
export type ConversionMethod = 'remux' | 'transcode'
export type Sprite = { frames: number; columns: number; frameWidth: number; frameHeight: number }

type Conversion = {
  path: string
  outputPath: string
  method: ConversionMethod
  facts: VideoFacts
  onProgress(fraction: number): void
  signal?: AbortSignal
}

/** One way to read and write videos; the engine prefers node-av and falls back to ffmpeg. */
export type VideoBackend = {
  inspect(input: { path: string; poster?: PosterWish }): Promise<VideoFacts>
  sprite(input: { path: string; outputPath: string }): Promise<Sprite>
  sceneFrames(input: { path: string; directory: string; max: number }): Promise<string[]>
  convert(conversion: Conversion): Promise<void>
  close(): Promise<void>
}

/** What both backends make, so that a library looks the same whichever made it. */
export const recipe = {
  posterEdge: 1920,
  posterPosition: 0.1,
  posterLatestSeconds: 10,
  spriteFrames: 16,
  spriteColumns: 4,
  spriteEdge: 256,
  sceneEdge: 1024,
  playableEdge: 1920,
  playableFramesPerSecond: 60,
  keyframeInterval: 60,
} as const
