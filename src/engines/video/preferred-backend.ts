import { AppError } from '#platform/errors.ts'
import type { VideoBackend } from './video-tasks.ts'

/** Uses the first backend until it turns out that its decoder is not installed, and the second from then on. */
export function preferBackend(first: VideoBackend, second: VideoBackend): VideoBackend {
  let isFirstMissing = false

  async function attempt<T>(work: (backend: VideoBackend) => Promise<T>): Promise<T> {
    if (isFirstMissing) return work(second)
    try {
      return await work(first)
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'decoder-missing')) throw error
      isFirstMissing = true
      return work(second)
    }
  }

  return {
    inspect: (input) => attempt((backend) => backend.inspect(input)),
    sprite: (input) => attempt((backend) => backend.sprite(input)),
    sceneFrames: (input) => attempt((backend) => backend.sceneFrames(input)),
    convert: (conversion) => attempt((backend) => backend.convert(conversion)),
    async close() {
      await Promise.all([first.close(), second.close()])
    },
  }
}
