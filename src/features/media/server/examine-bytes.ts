import { rm } from 'node:fs/promises'
import type { ImageEngine } from '#engines/images/image-engine.ts'
import type { ProcessedImage } from '#engines/images/image-tasks.ts'
import type { PictureWords } from '#engines/metadata/picture-words.ts'
import type { Storage } from '#engines/storage/storage.ts'
import type { VideoEngine } from '#engines/video/video-engine.ts'
import type { VideoFacts } from '#engines/video/video-facts.ts'
import type { Playback } from './tables.ts'

type Engines = { images: ImageEngine; videos: VideoEngine; storage: Pick<Storage, 'derived'> }

/** What the bytes contain, and a finished thumbnail that must be stored or discarded. */
export type Examined = {
  facts: MediaFacts
  /** Only images have some. */
  words: PictureWords
  thumbnailPath: string
}

type MediaFacts = {
  mime_type: string
  type: 'image' | 'video'
  width: number
  height: number
  duration: number | null
  is_animated: 0 | 1
  playback: Playback
  thumbhash: string
  colours: string
  perceptual_hash: string
  exif: string | null
  taken_at: string | null
}

/**
 * [Note: One decode at the door]
 * A single decode verifies the picture and creates its thumbnail, thumbhash, colors and hash.
 */
export async function examineImage({ images, storage }: Engines, path: string): Promise<Examined> {
  const thumbnailPath = storage.derived.temporaryPath('webp')
  const picture = await images.process({ path, thumbnailPath })
  const exif = Object.keys(picture.exif).length > 0 ? JSON.stringify(picture.exif) : null
  return {
    thumbnailPath,
    words: picture.words,
    facts: {
      ...pictureFacts(picture),
      mime_type: picture.mimeType,
      type: 'image',
      duration: null,
      is_animated: picture.isAnimated ? 1 : 0,
      playback: 'as-is',
      exif,
      taken_at: picture.exif.takenAt ?? null,
    },
  }
}

export async function examineVideo({ images, videos, storage }: Engines, path: string): Promise<Examined> {
  const posterPath = storage.derived.temporaryPath('jpg')
  const thumbnailPath = storage.derived.temporaryPath('webp')
  try {
    const video = await videos.process({ path, posterPath })
    const picture = await images.process({ path: posterPath, thumbnailPath })
    return {
      thumbnailPath,
      words: {},
      facts: {
        ...pictureFacts(picture),
        mime_type: mimeTypes[video.container] ?? 'video/mp4',
        type: 'video',
        width: video.width,
        height: video.height,
        duration: video.durationSeconds,
        is_animated: 0,
        playback: video.playable === 'as-is' ? 'as-is' : 'pending',
        exif: recordingFacts(video),
        taken_at: video.takenAt ?? null,
      },
    }
  } finally {
    await rm(posterPath, { force: true })
  }
}

function recordingFacts({ camera, location }: VideoFacts) {
  return camera || location ? JSON.stringify({ camera, ...location }) : null
}

const mimeTypes: Record<string, string> = { mp4: 'video/mp4', mov: 'video/quicktime', avi: 'video/x-msvideo' }

function pictureFacts(picture: ProcessedImage) {
  return {
    width: picture.width,
    height: picture.height,
    thumbhash: picture.thumbhash,
    colours: JSON.stringify(picture.colours),
    perceptual_hash: picture.perceptualHash,
  }
}
