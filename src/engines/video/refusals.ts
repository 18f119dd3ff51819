import { AppError } from '#platform/errors.ts'

export const corruptVideo = (message = 'This video is damaged and cannot be read.') =>
  new AppError('corrupt-video', 415, message)
export const noVideo = () => new AppError('no-video', 415, 'This file has sound but no picture.')
export const oversizedPicture = () =>
  new AppError('video-too-large', 413, 'The picture of this video is larger than 64 megapixels.')
export const videoUnavailable = () =>
  new AppError('video-unavailable', 503, 'Videos cannot be processed: neither node-av nor ffmpeg is installed.')
/** Between the worker and the engine only: the engine then turns to ffmpeg. */
export const decoderMissing = (reason: string) => new AppError('decoder-missing', 503, reason)
