import { AppError } from '#platform/errors.ts'
import { createProcessPool } from '#platform/server/process-pool/process-pool.ts'
import type { PageImages } from './find-images.ts'

export type FindImagesTask = { html: string; pageUrl: string }

export type ImageFinder = {
  findImages(html: string, pageUrl: string, options?: { signal?: AbortSignal }): Promise<PageImages>
  close(): Promise<void>
}

/**
 * Runs `findImages` in a child process: an ordinary page takes milliseconds, but 15 MB made to be slow take seconds, which
 * would block the server. See [Note: Decoders live in child processes].
 */
export function createImageFinder({ timeoutMs = 20_000 }: { timeoutMs?: number } = {}): ImageFinder {
  const pool = createProcessPool<FindImagesTask, PageImages>({
    entry: new URL('./image-finder-child.ts', import.meta.url),
    size: 1,
    timeoutMs,
    env: { NODE_OPTIONS: '--max-old-space-size=512' },
  })
  return {
    async findImages(html, pageUrl, { signal } = {}) {
      try {
        return await pool.run({ html, pageUrl }, { signal })
      } catch (error) {
        throw isOverload(error) ? new AppError('page-too-complex', 422, 'The page is too complex to analyze.') : error
      }
    },
    close: () => pool.close(),
  }
}

/** The child ran out of time or of memory. */
function isOverload(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'timeout' || error.code === 'worker-died')
}
