import { LRUCache } from 'lru-cache'
import { AppError } from '#platform/errors.ts'

/** Errors that the same bytes cause again; others, such as a full disk or a lack of memory, pass. */
const lastingCodes = new Set([
  'too-slow',
  'too-many-pixels',
  'corrupt-image',
  'unsupported-type',
  'corrupt-video',
  'no-video',
  'video-too-large',
  'worker-died',
  'timeout',
])

const maxRemembered = 10_000
const rememberedMs = 10 * 60_000

export type FailedRenditions = {
  /** Refuses what failed within the last minutes with the same error, so that visitors cannot repeat costly failures. */
  run<T>(key: string, make: () => Promise<T>): Promise<T>
  /** Allows all sizes of a file again, whose damaged bytes were replaced. */
  forget(blob: string): void
}

/** The key names the bytes and the size, so a replaced file is tried at once. */
export function createFailedRenditions(): FailedRenditions {
  const failures = new LRUCache<string, AppError>({
    max: maxRemembered,
    ttl: rememberedMs,
    ttlResolution: 0,
    perf: { now: () => Date.now() },
  })
  return {
    async run(key, make) {
      const failure = failures.get(key)
      if (failure) throw failure
      try {
        return await make()
      } catch (error) {
        if (error instanceof AppError && lastingCodes.has(error.code)) failures.set(key, error)
        throw error
      }
    },
    forget(blob) {
      for (const key of [...failures.keys()]) if (key.startsWith(blob)) failures.delete(key)
    },
  }
}
