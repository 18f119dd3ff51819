import { link, readdir, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { type Disk, errorCode, explainDiskError, nodeDisk, syncFile } from './disk.ts'
import { statFile } from './local-files.ts'
import type { TemporaryFiles } from './temporary-files.ts'

type BlobCache = {
  /**
   * Passes a local copy of a blob to `use`; concurrent requests share one download. Each gets its own hard link, so the copy stays
   * readable when it is evicted meanwhile, even by another process.
   */
  withFile<T>(sha256: string, use: (path: string) => Promise<T>): Promise<T>
  evict(sha256: string): Promise<void>
}

type BlobCacheOptions = {
  folder: string
  maxBytes: number
  temporary: TemporaryFiles
  /** Downloads the blob to a new file, or throws. */
  download(sha256: string, path: string): Promise<void>
  disk?: Disk
}

export function createBlobCache(options: BlobCacheOptions): BlobCache {
  const { folder, maxBytes, temporary, download, disk = nodeDisk } = options
  const downloads = new Map<string, Promise<void>>()
  /** Size of the folder as far as this process knows; measured at the first download and when it seems too large. */
  let cachedBytes: number | undefined

  async function downloadCopy(sha256: string) {
    await temporary.withPath(async (path) => {
      await download(sha256, path)
      // A cached copy is not verified, so its name must stand for all its bytes after a power cut too.
      await syncFile(disk, path)
      await disk.rename(path, join(folder, sha256))
    })
    const copy = await statFile(join(folder, sha256))
    if (cachedBytes !== undefined) cachedBytes += copy?.bytes ?? 0
    if (cachedBytes === undefined || cachedBytes > maxBytes) cachedBytes = await evictOldest(folder, maxBytes)
  }

  function downloadOnce(sha256: string) {
    const running = downloads.get(sha256) ?? downloadCopy(sha256).finally(() => downloads.delete(sha256))
    downloads.set(sha256, running)
    return running
  }

  return {
    withFile: (sha256, use) =>
      temporary.withPath(async (path) => {
        while (!(await linkCopy(join(folder, sha256), path))) await downloadOnce(sha256)
        return use(path)
      }),
    evict: (sha256) => rm(join(folder, sha256), { force: true }),
  }
}

async function linkCopy(copy: string, path: string) {
  try {
    await link(copy, path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw explainDiskError(error)
  }
  // The link shares the inode of the cached copy, so this marks the copy as recently used.
  const now = new Date()
  await utimes(path, now, now)
  return true
}

/** Evicts the least recently used copies, but never the newest; returns the remaining size. */
async function evictOldest(folder: string, maxBytes: number) {
  const copies: { path: string; bytes: number; usedAt: number }[] = []
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const facts = await statFile(path)
    if (facts) copies.push({ path, bytes: facts.bytes, usedAt: facts.modifiedAt.getTime() })
  }
  copies.sort((a, b) => a.usedAt - b.usedAt)
  let remainingBytes = copies.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const { path, bytes } of copies.slice(0, -1)) {
    if (remainingBytes <= maxBytes) break
    await rm(path, { force: true })
    remainingBytes -= bytes
  }
  return remainingBytes
}
