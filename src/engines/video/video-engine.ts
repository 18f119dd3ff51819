import { isAbsolute } from 'node:path'
import { createFfmpegBackend } from './ffmpeg/ffmpeg-backend.ts'
import { makePlayable, type PlayableRequest } from './make-playable.ts'
import { createNodeAvBackend } from './node-av-backend.ts'
import { preferBackend } from './preferred-backend.ts'
import type { VideoFacts } from './video-facts.ts'
import { type ConversionMethod, recipe, type Sprite, type VideoBackend } from './video-tasks.ts'

/** Every path is absolute. Refuses with `corrupt-video`, `no-video`, `video-too-large` or `video-unavailable`. */
export type VideoEngine = {
  probe(path: string): Promise<VideoFacts>
  /** An upright JPEG of at most 1920 pixels, from near the first tenth. */
  poster(input: { path: string; outputPath: string }): Promise<void>
  /** Facts, and the same picture as large as thumbnails are, at the price of one. */
  process(input: { path: string; posterPath: string }): Promise<VideoFacts>
  /** Up to 16 small pictures in one JPEG, row by row, for scrubbing. */
  sprite(input: { path: string; outputPath: string }): Promise<Sprite>
  /** Up to `max` (at most 12) different upright JPEGs of at most 1024 pixels, in order. */
  sceneFrames(input: { path: string; directory: string; max: number }): Promise<string[]>
  /** An MP4 that every browser plays and that carries no place, date or camera. */
  makePlayable(input: PlayableRequest): Promise<{ bytes: number; method: ConversionMethod }>
  close(): Promise<void>
}

const maxSceneFrames = 12

/** `ffmpegPath` is used where node-av has no build; without it, `ffmpeg` is looked for in the usual folders. */
export function createVideoEngine({ ffmpegPath }: { ffmpegPath?: string } = {}): VideoEngine {
  return createVideoEngineOn(preferBackend(createNodeAvBackend(), createFfmpegBackend({ ffmpegPath })))
}

export function createVideoEngineOn(backend: VideoBackend): VideoEngine {
  return {
    probe: async (path) => backend.inspect(absolute({ path })),
    async poster({ path, outputPath }) {
      await backend.inspect({ ...absolute({ path }), poster: { path: outputPath, room: recipe.posterEdge } })
    },
    process: async ({ path, posterPath }) =>
      backend.inspect({ ...absolute({ path }), poster: { path: posterPath, room: 'thumbnail' } }),
    sprite: async (input) => backend.sprite(absolute(input)),
    async sceneFrames(input) {
      const max = Math.max(1, Math.min(input.max, maxSceneFrames))
      return backend.sceneFrames({ ...absolute(input), max })
    },
    makePlayable: async (input) => makePlayable(backend, absolute(input)),
    close: () => backend.close(),
  }
}

/** FFmpeg would take other text for an option or an address. */
function absolute<T extends { path: string }>(input: T): T {
  if (!isAbsolute(input.path)) throw new TypeError(`Expected an absolute path, received ${input.path}`)
  return input
}
