import { randomUUID } from 'node:crypto'
import { copyFile, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unavailable, withCause } from '#platform/errors.ts'
import { isDiskFull } from '#platform/server/system-errors.ts'
import { errorCode } from './disk.ts'

export type TemporaryFiles = {
  freshPath(extension?: string): string
  /** Hands out a fresh path and sees to it that nothing is left there afterwards. */
  withPath<T>(use: (path: string) => Promise<T>): Promise<T>
  /** Moves a finished file in, from whatever disk it lies on; what `use` leaves of it is removed. */
  withTakenOver<T>(path: string, use: (path: string) => Promise<T>): Promise<T>
  /** Can files be made here? Cheap. */
  check(): Promise<void>
  sweep(limits: SweepLimits): Promise<number>
}

export type SweepLimits = {
  olderThanMs: number
  /**
   * No other process works here, so what this one did not begin was left by one that is no more, however young it is: a
   * decoder may outlive its killed server for a moment and finish a file that nobody waits for.
   */
  isAlone?: boolean
}

/** Every name begins with it, so that this process knows its own files. */
const owner = randomUUID().slice(0, 8)
const freshName = () => `${owner}-${randomUUID()}`

export function createTemporaryFiles(folder: string): TemporaryFiles {
  /** Paths that somebody in this process works with: a film may be read for hours, and grows old meanwhile. */
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

  function withTakenOver<T>(source: string, use: (path: string) => Promise<T>) {
    return withPath(async (path) => {
      // A link to a file of a backup is as old as that: the sweep would take it for something left behind.
      const now = new Date()
      await utimes(source, now, now)
      await moveFile(source, path)
      return use(path)
    })
  }

  /** A full disk still serves what it has, so it is no reason to be taken out of service. */
  async function check() {
    try {
      await withPath((path) => writeFile(path, '', { flag: 'wx' }))
    } catch (error) {
      if (isDiskFull(error)) return
      throw withCause(unavailable('The storage folder cannot be written to.'), error)
    }
  }

  /** A file that is still being written changes, and so is young. */
  async function sweep({ olderThanMs, isAlone = false }: SweepLimits) {
    const limit = Date.now() - olderThanMs
    let removed = 0
    for (const name of await readdir(folder)) {
      const path = join(folder, name)
      if (inUse.has(path)) continue
      const isStrange = isAlone && !name.startsWith(`${owner}-`)
      if (!isStrange && !(await isOlder(path, limit))) continue
      await rm(path, { recursive: true, force: true })
      removed++
    }
    return removed
  }

  return { freshPath, withPath, withTakenOver, check, sweep }
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
