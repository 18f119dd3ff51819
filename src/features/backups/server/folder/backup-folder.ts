import { access, constants, copyFile, link, open, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { errorCode, nodeDisk } from '#engines/storage/disk.ts'
import { blobKey, createDurableShards } from '#engines/storage/keys.ts'
import { hashAndSumLocal, isLocalWhole, statFile, unlessMissing } from '#engines/storage/local-files.ts'
import { explainBackupFault, explainSourceFault, withCatch } from './backup-faults.ts'
import { requireMarker } from './folder-marker.ts'
import { createBackupDrafts, createBackupSnapshots } from './snapshots.ts'

const folders = ['snapshots', 'blobs', 'tmp']

/**
 * [Note: Backups share their files]
 * `blobs/ab/cd/<sha256>` holds each file that a backup needs: a hard link to the library's file on the same disk, a copy
 * otherwise. `snapshots/<id>/` holds the rows and a manifest; it is renamed into place after everything was written and
 * verified, so a snapshot is always complete. `tmp` holds drafts.
 */
export type BackupFolder = ReturnType<typeof openBackupFolder>

/** Every error of the folder itself names the folder, whichever function met it. */
export function openBackupFolder(root: string, log: FastifyBaseLogger) {
  /** The disk may have been mounted, unmounted or swapped since the start. */
  const requirePresence = () => requireMarker(root)

  async function throwExplained(error: unknown): Promise<never> {
    // On an unmounted disk every file is missing.
    if (errorCode(error) === 'ENOENT') await requirePresence()
    throw explainBackupFault(root, error)
  }

  const drafts = createBackupDrafts(root, log)
  const { temporaryPath, listTemporary, takeTemporary } = drafts
  const { blobPath, makeBlobFolder, placeBlob, ...blobs } = createBackupBlobs(root, temporaryPath)
  const { snapshotOf, ...snapshots } = createBackupSnapshots(root, {
    drafts,
    blobs: { makeBlobFolder, placeBlob },
    requirePresence,
  })

  /** Must run before anything is written or swept. */
  async function prepare() {
    await requirePresence()
    let isNew = false
    for (const name of folders) if (await nodeDisk.makeFolder(join(root, name))) isNew = true
    if (isNew) await nodeDisk.syncFolder(root)
  }

  /** For the admin panel: finds a problem before the next backup does. */
  async function checkWritable() {
    await prepare()
    for (const name of folders) await access(join(root, name), constants.R_OK | constants.W_OK | constants.X_OK)
    const path = temporaryPath()
    await writeFile(path, '', { flag: 'wx' })
    await rm(path)
  }

  async function startSnapshot() {
    await prepare()
    const { stage, publish, ...draft } = await snapshots.startSnapshot()
    return { ...draft, ...withCatch({ stage, publish }, throwExplained) }
  }

  /** Lends a link or copy of a blob that the caller may move away. Errors of `use` are not explained here. */
  async function lendBlob<T>(sha256: string, use: (path: string) => Promise<T>) {
    const path = temporaryPath()
    try {
      await linkOrCopy(blobPath(sha256), path).catch(throwExplained)
      return await use(path)
    } finally {
      await rm(path, { force: true })
    }
  }

  return {
    root,
    throwExplained,
    blobPath,
    temporaryPath,
    documentPath: (id: string) => snapshotOf(id).documentPath,
    lendBlob,
    ...withCatch(
      {
        requirePresence,
        prepare,
        checkWritable,
        ...blobs,
        listTemporary,
        takeTemporary,
        ...snapshots,
        startSnapshot,
        readProven: (id: string) => snapshotOf(id).readProven(),
        markProven: (id: string, provenAt: string) => snapshotOf(id).markProven(provenAt),
      },
      throwExplained,
    ),
  }
}

/** A blob refreshed within this time is not refreshed again; the sweep removes only blobs older than a day. */
const refreshIntervalMs = 3600_000
/** Error codes of a file that is missing, unreadable or on a failing disk. */
const readErrorCodes = ['ENOENT', 'EIO', 'EACCES', 'EPERM']
/** Suffix of a file whose bytes do not match its hash. */
export const damagedSuffix = '.damaged'

/** The files that backups share; see [Note: Backups share their files]. */
function createBackupBlobs(root: string, temporaryPath: () => string) {
  const blobPath = (sha256: string) => `${root}/${blobKey(sha256)}`
  const makeBlobFolder = createDurableShards(root, nodeDisk)
  const damagedPath = (sha256: string) => `${blobPath(sha256)}${damagedSuffix}`

  async function hasBlob(sha256: string, bytes: number) {
    return (await statFile(blobPath(sha256)))?.bytes === bytes
  }

  async function isBlobWhole(sha256: string) {
    return isLocalWhole(blobPath(sha256), sha256)
  }

  /** The sweep spares recently touched files, so a backup touches every blob that it relies on. */
  async function refreshBlob(sha256: string, bytes: number) {
    const facts = await unlessMissing(stat(blobPath(sha256)))
    if (!facts?.isFile() || facts.size !== bytes) return false
    if (facts.ctimeMs > Date.now() - refreshIntervalMs) return true
    // Setting the same mtime renews only the ctime, so the library's janitor, which reads the mtime, is not affected.
    return (await unlessMissing(utimes(blobPath(sha256), facts.mtime, facts.mtime))) !== null
  }

  /**
   * Backups share their files, so a damaged blob affects all of them. Renamed, it is fetched from the library again or
   * reported as missing. It is verified again under its new name, since another process may have replaced it meanwhile.
   */
  async function setAsideUnlessWhole(sha256: string) {
    if (await isBlobWhole(sha256)) return true
    const isRenamed = (await unlessMissing(rename(blobPath(sha256), damagedPath(sha256)))) !== null
    if (!isRenamed || !(await isLocalWhole(damagedPath(sha256), sha256))) return false
    // If it is gone, another process has stored an intact copy.
    await unlessMissing(rename(damagedPath(sha256), blobPath(sha256)))
    return true
  }

  /** Adds a file of the library and returns its CRC-32; null if its bytes do not match the hash. */
  async function addBlob(sha256: string, source: string) {
    const path = temporaryPath()
    try {
      await linkOrCopy(source, path)
      const actual = await hashAndSumLocal(path)
      if (actual.sha256 !== sha256) return null
      await syncUntouched(path)
      await placeBlob(sha256, path)
      return { crc32: actual.crc32 }
    } catch (error) {
      if (readErrorCodes.includes(String(errorCode(error))) && !(await isSourceWhole(sha256, source))) return null
      throw error
    } finally {
      // A rename between two hard links of one file leaves both in place.
      await rm(path, { force: true })
    }
  }

  /** A hard link shares the library's file, so its errors are the library's and not the backup folder's. */
  const isSourceWhole = (sha256: string, source: string) =>
    isLocalWhole(source, sha256).catch((error) => {
      throw explainSourceFault(error)
    })

  /** Moves a verified and synced file to its blob path. */
  async function placeBlob(sha256: string, path: string) {
    const folder = await makeBlobFolder(sha256)
    await rename(path, blobPath(sha256))
    await nodeDisk.syncFolder(folder)
    await rm(damagedPath(sha256), { force: true })
  }

  return { blobPath, hasBlob, isBlobWhole, refreshBlob, setAsideUnlessWhole, addBlob, makeBlobFolder, placeBlob }
}

async function linkOrCopy(from: string, to: string) {
  try {
    await link(from, to)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw error
    // Another disk, too many links, or a file system without hard links.
    await copyFile(from, to)
  }
}

/** Leaves the mtime as it is: the file may be a hard link to a library file, and its janitor reads the mtime. */
async function syncUntouched(path: string) {
  const handle = await open(path, 'r')
  try {
    await handle.datasync()
  } finally {
    await handle.close()
  }
}
