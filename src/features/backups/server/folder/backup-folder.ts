import { randomUUID } from 'node:crypto'
import {
  access,
  constants,
  copyFile,
  link,
  open,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { errorCode, nodeDisk } from '#engines/storage/disk.ts'
import { blobKey, createDurableShards } from '#engines/storage/keys.ts'
import { hashAndCrcLocal, isLocalIntact, statFile, unlessMissing } from '#engines/storage/local-files.ts'
import { AppError } from '#platform/errors.ts'
import { type Config, ConfigError } from '#platform/server/config.ts'
import { claimSetting, loadSetting } from '#platform/server/db/settings.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { makeFolder } from '#platform/server/make-folder.ts'
import { explainBackupFault, explainSourceFault, isWithin, withCatch } from './backup-faults.ts'
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
    return isLocalIntact(blobPath(sha256), sha256)
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
    if (!isRenamed || !(await isLocalIntact(damagedPath(sha256), sha256))) return false
    // If it is gone, another process has stored an intact copy.
    await unlessMissing(rename(damagedPath(sha256), blobPath(sha256)))
    return true
  }

  /** Adds a file of the library and returns its CRC-32; null if its bytes do not match the hash. */
  async function addBlob(sha256: string, source: string) {
    const path = temporaryPath()
    try {
      await linkOrCopy(source, path)
      const actual = await hashAndCrcLocal(path)
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
    isLocalIntact(source, sha256).catch((error) => {
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

const markerName = 'albumen-backups'
const settingName = 'backup-folder'
const libraryFolders = ['blobs', 'derived', 'tmp', 'cache']

/**
 * A library and a backup folder use the same subfolder names, and the sweep of one would delete the other's files as
 * unused. So the start stops, before anything is written, if the folder is not used for backups alone.
 */
export async function refuseForeignBackupFolder({ backupDir, dataDir }: Pick<Config, 'backupDir' | 'dataDir'>) {
  await makeFolder(backupDir, 0o700)
  const [root, data] = await Promise.all([realpath(backupDir), realpath(dataDir)])
  const refuse = (what: string) => {
    throw new ConfigError(`BACKUP_DIR (${backupDir}) ${what}`)
  }
  if (root === data) refuse('is DATA_DIR itself. Choose a folder used only for backups')
  if (isWithin(data, root)) refuse('contains DATA_DIR. Choose a folder used only for backups')
  if (isWithin(root, data) && libraryFolders.includes(relative(data, root).split(sep)[0]!)) {
    refuse("is inside the library's own files. Choose a folder used only for backups")
  }
  for (const name of ['library-id', 'albumen.db']) {
    if (!(await statFile(join(root, name)))) continue
    refuse(`is the folder of a library, since it contains ${name}. Choose its subfolder backups, or another folder`)
  }
  if (await hasMarker(root)) return
  // `tmp` is created last, so it is checked first: another process may be creating the folders now.
  const used = []
  for (const name of ['tmp', 'blobs', 'snapshots']) if ((await namesIn(join(root, name))).length > 0) used.push(name)
  if (used.length === 0) return
  refuse(
    `has files of something else in ${used.join(' and ')}: name an empty folder, or one with the marker file ${markerName}`,
  )
}

/**
 * Nothing is written or swept in a folder without the marker file. The database remembers that the folder was marked, so an
 * unmounted disk or another process's folder is not mistaken for a new one. When several processes start for the first
 * time, one of them writes the marker.
 */
export async function claimBackupFolder(db: Kysely<Tables>, root: string) {
  const isKnown = (await loadSetting(db, settingName)) !== undefined
  if (!isKnown) await db.transaction().execute((transaction) => writeMarker(transaction, root))
  await requireMarker(root)
}

async function requireMarker(root: string) {
  if (await hasMarker(root)) return
  throw new AppError(
    'backups-away',
    503,
    `BACKUP_DIR (${root}) does not contain the marker file ${markerName}. Check that its disk is mounted and that all processes use the same folder. To start a new backup folder there, create an empty file of that name.`,
  )
}

/** Runs in a transaction: if the marker cannot be written, the database does not remember it. */
async function writeMarker(transaction: Db, root: string) {
  const own = randomUUID()
  const isFirst = (await claimSetting(transaction, settingName, own)) === own
  if (!isFirst || (await hasMarker(root))) return
  await writeFile(join(root, markerName), 'Albumen keeps its backups here and removes what none of them needs.\n')
  await nodeDisk.syncFolder(root)
}

async function hasMarker(root: string) {
  return (await statFile(join(root, markerName))) !== null
}

async function namesIn(folder: string) {
  return (await unlessMissing(readdir(folder))) ?? []
}
