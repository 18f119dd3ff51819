import type { ImageEngine } from '#engines/images/image-engine.ts'
import type { Storage } from '#engines/storage/storage.ts'
import type { VideoEngine } from '#engines/video/video-engine.ts'
import { mediaTypeOf } from '#features/media/mime-types.ts'
import { type Examined, examineImage, examineVideo } from '#features/media/server/examine-bytes.ts'
import { AppError, unsupportedType } from '#platform/errors.ts'
import { sniffType } from './sniff-type.ts'

type Engines = { images: ImageEngine; videos: VideoEngine; storage: Storage }

/** Believes only the bytes: their signature first, then a real decode that also makes the thumbnail. */
export async function examine(engines: Engines, arrival: { path: string; head: Uint8Array }): Promise<Examined> {
  const type = mediaTypeOf(await sniffType(arrival.head))
  try {
    return await (type === 'image' ? examineImage(engines, arrival.path) : examineVideo(engines, arrival.path))
  } catch (error) {
    const hasKilledDecoder = error instanceof AppError && (error.code === 'worker-died' || error.code === 'timeout')
    throw hasKilledDecoder ? unsupportedType('This file is damaged and could not be read.') : error
  }
}
