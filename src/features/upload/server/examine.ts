import type { ImageEngine } from '#engines/images/image-engine.ts'
import type { Storage } from '#engines/storage/storage.ts'
import type { VideoEngine } from '#engines/video/video-engine.ts'
import { type Examined, examineImage, examineVideo } from '#features/media/server/examine-bytes.ts'
import { sniffType } from './sniff-type.ts'

type Engines = { images: ImageEngine; videos: VideoEngine; storage: Storage }

/** Believes only the bytes: their signature first, then a real decode that also makes the thumbnail. */
export async function examine(engines: Engines, arrival: { path: string; head: Uint8Array }): Promise<Examined> {
  const { type } = await sniffType(arrival.head)
  return type === 'image' ? examineImage(engines, arrival.path) : examineVideo(engines, arrival.path)
}
