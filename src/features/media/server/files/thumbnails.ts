import { LRUCache } from 'lru-cache'
import type { ImageEngine } from '#engines/images/image-engine.ts'
import type { Storage } from '#engines/storage/storage.ts'
import type { VideoEngine } from '#engines/video/video-engine.ts'
import { notFound } from '#platform/errors.ts'
import { examineImage, examineVideo } from '../examine-bytes.ts'
import { derivedKeys } from '../media-addresses.ts'
import type { MediaRow } from '../to-media.ts'
import { dedupe } from './make-derived.ts'

type Engines = { storage: Storage; images: ImageEngine; videos: VideoEngine }
type ThumbnailSource = Pick<MediaRow, 'blob' | 'type'>

export async function openThumbnail(services: Engines & { thumbnailCache: ThumbnailCache }, media: ThumbnailSource) {
  const { storage, thumbnailCache } = services
  const key = derivedKeys.thumbnail(media.blob)
  const read = () => thumbnailCache.read(key, () => storage.derived.read(key))
  const bytes = (await read()) ?? (await dedupe(key, () => makeThumbnail(services, media)).then(read))
  if (!bytes) throw notFound('File')
  return { recipe: 'thumbnail-400', mimeType: 'image/webp', bytes: bytes.length, open: () => bytes }
}

/** Provides the thumbnail as a local file. Creates it if it is missing, for example after a restore. */
export async function withThumbnail<T>(services: Engines, media: ThumbnailSource, use: (path: string) => Promise<T>) {
  const { derived } = services.storage
  const key = derivedKeys.thumbnail(media.blob)
  if (!(await derived.stat(key))) await dedupe(key, () => makeThumbnail(services, media))
  return derived.withLocalFile(key, use)
}

/** Derived files are a cache and can be created again from the blob. */
async function makeThumbnail(services: Engines, { blob, type }: ThumbnailSource) {
  const { storage } = services
  const examineBlob = type === 'image' ? examineImage : examineVideo
  const examined = await storage.withLocalFile(blob, (path) => examineBlob(services, path))
  await storage.derived.write(derivedKeys.thumbnail(blob), examined.thumbnailPath)
}

const maxBytes = 64 * 1024 * 1024

export type ThumbnailCache = {
  /** Returns the bytes of `key`, from memory if they were read recently. */
  read(key: string, load: () => Promise<Buffer | null>): Promise<Buffer | null>
}

/** Thumbnails are small and requested often; reading from memory costs a tenth of reading from disk. */
export function createThumbnailCache(): ThumbnailCache {
  const files = new LRUCache<string, Buffer>({ maxSize: maxBytes, sizeCalculation: ({ length }) => length + 200 })
  return {
    async read(key, load) {
      const cached = files.get(key)
      if (cached) return cached
      const bytes = await load()
      if (bytes) files.set(key, bytes)
      return bytes
    },
  }
}
