import { rm } from 'node:fs/promises'
import { AppError } from '#platform/errors.ts'
import { createProcessPool } from '#platform/server/process-pool/process-pool.ts'
import { damaged } from './byte-reader.ts'
import type { CleanTask } from './write-without-metadata.ts'

/**
 * Writes copies without metadata in a child process, since a hostile file may keep its reader busy for long; see [Note:
 * Decoders live in child processes]. A file that cannot be cleaned, or not in time, throws AppError `corrupt-file` and leaves no
 * output.
 */
export type Cleaner = {
  clean(task: CleanTask): Promise<void>
  close(): Promise<void>
}

/** Copying 500 MB on a slow disk takes a minute. */
const timeoutMs = 100_000

export function createCleaner(): Cleaner {
  const pool = createProcessPool<CleanTask, void>({
    entry: new URL('./clean-child.ts', import.meta.url),
    size: 2,
    timeoutMs,
  })
  return {
    async clean(task) {
      try {
        await pool.run(task)
      } catch (error) {
        await rm(task.outputPath, { force: true })
        throw error instanceof AppError && error.code === 'timeout' ? damaged() : error
      }
    },
    close: () => pool.close(),
  }
}
