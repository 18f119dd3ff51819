import { AppError } from '#platform/errors.ts'
import type { SizeLimit } from './filters.ts'

/** The requests to a worker; paths are absolute. */
export type VideoTask =
  | { kind: 'inspect'; path: string; poster?: PosterRequest }
  | { kind: 'sprite'; path: string; outputPath: string }
  | { kind: 'sceneFrames'; path: string; directory: string; max: number }
  | { kind: 'convert'; path: string; outputPath: string; method: ConversionMethod }

export type PosterRequest = { path: string; sizeLimit: SizeLimit }
export type ConversionMethod = 'remux' | 'transcode'
export type Sprite = { frames: number; columns: number; frameWidth: number; frameHeight: number }

export const outputSettings = {
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

export const corruptVideo = (message = 'This video is damaged and cannot be read.') =>
  new AppError('corrupt-video', 415, message)
export const noVideo = () => new AppError('no-video', 415, 'This file has sound but no video.')
export const oversizedPicture = () =>
  new AppError('video-too-large', 413, 'The frames of this video are larger than 64 megapixels.')
export const videoUnavailable = () =>
  new AppError('video-unavailable', 503, 'Videos cannot be processed: the video decoder is not installed.')
