import { link, readdir, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { type Disk, errorCode, explainDiskError, nodeDisk, syncFile } from './disk.ts'
import { statFile } from './local-files.ts'
import type { TemporaryFiles } from './temporary-files.ts'

type LocalCopies = {
  /**
   * Lends a local copy of a blob, downloading it once however many ask at the same time. Every borrower gets a hard
   * link of its own, so a copy that is pushed out of the cache meanwhile, also by another process, stays readable.
   */
  lend<T>(sha256: string, use: (path: string) => Promise<T>): Promise<T>
  forget(sha256: string): Promise<void>
}

type LocalCopiesOptions = {
  folder: string
  maxBytes: number
  temporary: TemporaryFiles
  /** Writes the blob's bytes to a new file, or throws. */
  download(sha256: string, path: string): Promise<void>
  disk?: Disk
}

export function createLocalCopies(options: LocalCopiesOptions): LocalCopies {
  const { folder, maxBytes, temporary, download, disk = nodeDisk } = options
  const downloads = new Map<string, Promise<void>>()
  /** What the folder holds, as far as this process knows; counted when first needed and whenever it seems too much. */
  let heldBytes: number | undefined

  async function downloadCopy(sha256: string) {
    await temporary.withPath(async (path) => {
      await download(sha256, path)
      // A copy is believed without a look: after a power cut its name must not stand for fewer bytes.
      await syncFile(disk, path)
      await disk.rename(path, join(folder, sha256))
    })
    const copy = await statFile(join(folder, sha256))
    if (heldBytes !== undefined) heldBytes += copy?.bytes ?? 0
    if (heldBytes === undefined || heldBytes > maxBytes) heldBytes = await makeRoom(folder, maxBytes)
  }

  function downloadOnce(sha256: string) {
    const running = downloads.get(sha256) ?? downloadCopy(sha256).finally(() => downloads.delete(sha256))
    downloads.set(sha256, running)
    return running
  }

  return {
    lend: (sha256, use) =>
      temporary.withPath(async (path) => {
        while (!(await linkCopy(join(folder, sha256), path))) await downloadOnce(sha256)
        return use(path)
      }),
    forget: (sha256) => rm(join(folder, sha256), { force: true }),
  }
}

async function linkCopy(copy: string, path: string) {
  try {
    await link(copy, path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw explainDiskError(error)
  }
  // One inode, two names: the copy in the cache becomes young as well.
  const now = new Date()
  await utimes(path, now, now)
  return true
}

/** Removes the copies that were lent longest ago, but never the youngest; says what is left. */
async function makeRoom(folder: string, maxBytes: number) {
  const copies: { path: string; bytes: number; lentAt: number }[] = []
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const facts = await statFile(path)
    if (facts) copies.push({ path, bytes: facts.bytes, lentAt: facts.modifiedAt.getTime() })
  }
  copies.sort((a, b) => a.lentAt - b.lentAt)
  let held = copies.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const { path, bytes } of copies.slice(0, -1)) {
    if (held <= maxBytes) break
    await rm(path, { force: true })
    held -= bytes
  }
  return held
}
