import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { aiError } from '#engines/ai/errors.ts'
import { mostFrames } from '#engines/ai/provider.ts'
import type { ImageEngine } from '#engines/images/image-engine.ts'
import { throwExplained } from '#engines/storage/disk.ts'
import type { Storage } from '#engines/storage/storage.ts'
import type { VideoEngine } from '#engines/video/video-engine.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { AppError } from '#platform/errors.ts'

type Engines = { storage: Storage; images: ImageEngine; videos: VideoEngine }

/** Large enough to read small print. */
const longestEdge = 1600

/** Passes still frames of an item to `use`, upright and without metadata: one of a picture, up to twelve of a video. */
export async function withFrames<T>(
  { storage, images, videos }: Engines,
  media: Pick<MediaRow, 'blob' | 'type'>,
  use: (frames: string[]) => Promise<T>,
): Promise<T> {
  // A folder that the janitor cleans up after a crash, as the frames may show private pictures.
  const directory = storage.derived.temporaryPath()
  try {
    await mkdir(directory, { mode: 0o700 }).catch(throwExplained)
    const frames = await storage.withLocalFile(media.blob, (path) => makeFrames(path)).catch(asUnreadable)
    return await use(frames)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }

  async function makeFrames(path: string) {
    if (media.type === 'video') return videos.sceneFrames({ path, directory, max: mostFrames })
    const { data } = await images.shrink({ path, edge: longestEdge })
    const frame = join(directory, 'frame.jpg')
    await writeFile(frame, data)
    return [frame]
  }
}

/** Replaces any decoder error by one that suits an analysis. */
function asUnreadable(error: unknown): never {
  if (error instanceof AppError && error.status < 500) {
    throw aiError('unreadable', 'The file could not be read; it may be damaged or missing.')
  }
  throw error
}
