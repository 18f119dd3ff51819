import { randomUUID } from 'node:crypto'
import { copyFile, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unavailable, withCause } from '#platform/errors.ts'
import { isDiskFull } from '#platform/server/system-errors.ts'
import { errorCode } from './disk.ts'

export type TemporaryFiles = {
  freshPath(extension?: string): string
  /** Passes a new path to `use` and removes the file there afterwards. */
  withPath<T>(use: (path: string) => Promise<T>): Promise<T>
  /** Moves a finished file here, possibly from another disk, passes its new path to `use` and removes it afterwards. */
  withMovedFile<T>(path: string, use: (path: string) => Promise<T>): Promise<T>
  /** Cheap check that files can be created here. */
  check(): Promise<void>
  sweep(limits: SweepLimits): Promise<number>
}

export type SweepLimits = {
  olderThanMs: number
  /**
   * No other process uses this folder, so every file that this process did not create was left by a dead one, even a
   * recent one: a decoder may outlive its killed server for a moment and finish its file.
   */
  isAlone?: boolean
}

/** Each name starts with this id, so that the process knows its own files. */
const owner = randomUUID().slice(0, 8)
const freshName = () => `${owner}-${randomUUID()}`

export function createTemporaryFiles(folder: string): TemporaryFiles {
  /** Paths that this process is using; a video may be read for hours and becomes old meanwhile. */
  const inUse = new Set<string>()

  function freshPath(extension?: string) {
    if (extension === undefined) return join(folder, freshName())
    if (!/^[a-z0-9]{1,8}$/.test(extension)) {
      throw new TypeError(`Expected an extension like "webp", received ${JSON.stringify(extension)}`)
    }
    return join(folder, `${freshName()}.${extension}`)
  }

  async function withPath<T>(use: (path: string) => Promise<T>) {
    const path = freshPath()
    inUse.add(path)
    try {
      return await use(path)
    } finally {
      inUse.delete(path)
      await rm(path, { force: true })
    }
  }

  function withMovedFile<T>(source: string, use: (path: string) => Promise<T>) {
    return withPath(async (path) => {
      // A link to a file of a backup has its old date, and the sweep would remove it as abandoned.
      const now = new Date()
      await utimes(source, now, now)
      await moveFile(source, path)
      return use(path)
    })
  }

  /** A full disk can still serve files, so it does not fail the health check. */
  async function check() {
    try {
      await withPath((path) => writeFile(path, '', { flag: 'wx' }))
    } catch (error) {
      if (isDiskFull(error)) return
      throw withCause(unavailable('The storage folder cannot be written to.'), error)
    }
  }

  /** A file that is still being written has a recent date. */
  async function sweep({ olderThanMs, isAlone = false }: SweepLimits) {
    const limit = Date.now() - olderThanMs
    let removed = 0
    for (const name of await readdir(folder)) {
      const path = join(folder, name)
      if (inUse.has(path)) continue
      const isForeign = isAlone && !name.startsWith(`${owner}-`)
      if (!isForeign && !(await isOlder(path, limit))) continue
      await rm(path, { recursive: true, force: true })
      removed++
    }
    return removed
  }

  return { freshPath, withPath, withMovedFile, check, sweep }
}

async function moveFile(from: string, to: string) {
  try {
    await rename(from, to)
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error
    await copyFile(from, to)
    await rm(from)
  }
}

async function isOlder(path: string, limit: number) {
  try {
    return (await stat(path)).mtimeMs <= limit
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}
