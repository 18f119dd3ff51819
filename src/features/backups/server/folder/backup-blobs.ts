import { copyFile, link, open, rename, rm, stat, utimes } from 'node:fs/promises'
import { errorCode, nodeDisk } from '#engines/storage/disk.ts'
import { blobKey, createDurableShards } from '#engines/storage/keys.ts'
import { hashAndSumLocal, isLocalWhole, statFile, unlessMissing } from '#engines/storage/local-files.ts'
import { explainSourceFault } from './backup-faults.ts'

/** Far less than the day after which the sweep comes: whoever was refreshed within it need not be again. */
const youngMs = 3600_000
/** As they are met by whoever reads a file that is gone or lost, or may not be read. */
const readingFaults = ['ENOENT', 'EIO', 'EACCES', 'EPERM']
/** Behind the name of a file that holds other bytes than its name says. */
export const damagedEnding = '.damaged'

/** The files that backups share; see [Note: Backups share their files]. */
export function createBackupBlobs(root: string, temporaryPath: () => string) {
  const blobPath = (sha256: string) => `${root}/${blobKey(sha256)}`
  const makePlace = createDurableShards(root, nodeDisk)
  const damagedPath = (sha256: string) => `${blobPath(sha256)}${damagedEnding}`

  async function hasBlob(sha256: string, bytes: number) {
    return (await statFile(blobPath(sha256)))?.bytes === bytes
  }

  async function isBlobWhole(sha256: string) {
    return isLocalWhole(blobPath(sha256), sha256)
  }

  /** Young files are left alone by the sweep, so what a backup in the making counts on is made young. */
  async function refreshBlob(sha256: string, bytes: number) {
    const facts = await unlessMissing(stat(blobPath(sha256)))
    if (!facts?.isFile() || facts.size !== bytes) return false
    if (facts.ctimeMs > Date.now() - youngMs) return true
    // The same time again: this alone renews when the name was last changed, and tells the library's janitor nothing.
    return (await unlessMissing(utimes(blobPath(sha256), facts.mtime, facts.mtime))) !== null
  }

  /**
   * Backups share their files, so one that has rotted harms all of them, and the next as well as long as it passes for
   * good. Without its name it is fetched from the library again, or said to be missing; what is left of it stays until then.
   * It is read once more behind its new name: meanwhile another process may have brought it again, or the disk has come to.
   */
  async function setAsideUnlessWhole(sha256: string) {
    if (await isBlobWhole(sha256)) return true
    const isThere = (await unlessMissing(rename(blobPath(sha256), damagedPath(sha256)))) !== null
    if (!isThere || !(await isLocalWhole(damagedPath(sha256), sha256))) return false
    // If it is gone from there, somebody else has put another in its place.
    await unlessMissing(rename(damagedPath(sha256), blobPath(sha256)))
    return true
  }

  /** Takes a file of the library in under its hash, and says its CRC-32; null if the bytes are not the ones that the name promises. */
  async function addBlob(sha256: string, source: string) {
    const path = temporaryPath()
    try {
      await linkOrCopy(source, path)
      const found = await hashAndSumLocal(path)
      if (found.sha256 !== sha256) return null
      await syncUntouched(path)
      await placeBlob(sha256, path)
      return { crc32: found.crc32 }
    } catch (error) {
      if (readingFaults.includes(String(errorCode(error))) && !(await isSourceWhole(sha256, source))) return null
      throw error
    } finally {
      // Renaming one name of a file over another name of the same file leaves both.
      await rm(path, { force: true })
    }
  }

  /** A link is one more name of the library's own file: what is wrong with that is not the backup folder's fault. */
  const isSourceWhole = (sha256: string, source: string) =>
    isLocalWhole(source, sha256).catch((error) => {
      throw explainSourceFault(error)
    })

  /** Gives a file that is whole and synced its place among the others. */
  async function placeBlob(sha256: string, path: string) {
    const folder = await makePlace(sha256)
    await rename(path, blobPath(sha256))
    await nodeDisk.syncFolder(folder)
    await rm(damagedPath(sha256), { force: true })
  }

  return { blobPath, hasBlob, isBlobWhole, refreshBlob, setAsideUnlessWhole, addBlob, makePlace, placeBlob }
}

export async function linkOrCopy(from: string, to: string) {
  try {
    await link(from, to)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw error
    // Another disk, too many links, or a file system that knows none.
    await copyFile(from, to)
  }
}

/** Its time stays: it may be one more name of the library's own file, whose janitor goes by that. */
async function syncUntouched(path: string) {
  const handle = await open(path, 'r')
  try {
    await handle.datasync()
  } finally {
    await handle.close()
  }
}
