import { open, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { makeFolder } from '#platform/server/make-folder.ts'

const heartbeatMs = 2_000
/** A lock whose heart has not beaten for this long belongs to a process that is gone. */
const abandonedAfterMs = 20_000
const retryMs = 200

/**
 * Lets one process at a time write into a directory. The lock is a file that its holder keeps touching, so that a
 * killed process does not lock others out for ever, also when its number has been given to another one since.
 */
export async function lockDirectory(directory: string, signal?: AbortSignal): Promise<AsyncDisposable> {
  await makeFolder(directory)
  const path = join(directory, '.lock')
  while (!(await tryToCreate(path))) {
    const isGone = (await isAbandoned(path)) && (await takeAway(path))
    if (!isGone) await wait(retryMs, undefined, { signal })
  }
  const heartbeat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), heartbeatMs).unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(heartbeat)
      await rm(path, { force: true })
    },
  }
}

/** One at a time, who looks once more: of two who found it abandoned the slower would take away the other's new lock. */
async function takeAway(path: string): Promise<boolean> {
  const turn = `${path}-abandoned`
  if (!(await tryToCreate(turn))) {
    if (await isAbandoned(turn)) await rm(turn, { force: true })
    return false
  }
  try {
    if (await isAbandoned(path)) await rm(path, { force: true })
  } finally {
    await rm(turn, { force: true })
  }
  return true
}

async function tryToCreate(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx')
    await file.close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > abandonedAfterMs
  } catch {
    // Its holder has just let go; the next attempt will see.
    return false
  }
}
