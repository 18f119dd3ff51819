import { randomBytes } from 'node:crypto'
import {
  access,
  constants,
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { errorCode, nodeDisk, syncAndClose } from '#engines/storage/disk.ts'
import { blobKey } from '#engines/storage/keys.ts'
import { hashLocal, isLocalWhole, statFile, unlessMissing } from '#engines/storage/local-files.ts'
import { type Received, receive } from '#engines/storage/receive.ts'
import { notFound } from '#platform/errors.ts'
import { explainBackupFault, explainSourceFault, withCatch } from './backup-faults.ts'
import { backupId, requireMark } from './backup-place.ts'
import type { Manifest } from './manifest.ts'
import { snapshotIn } from './snapshot-folder.ts'

/** Far less than the day after which the sweep comes: whoever was refreshed within it need not be again. */
const youngMs = 3600_000
/** As they are met by whoever reads a file that is lost, or may not be read. */
const readingFaults = ['EIO', 'EACCES', 'EPERM']
const folders = ['snapshots', 'blobs', 'tmp']
/** Behind the name of a file that holds other bytes than its name says. */
export const damagedEnding = '.damaged'

/**
 * [Note: Backups share their files]
 * `blobs/ab/cd/<sha256>` holds every file that some backup needs, once: a hard link to the library's own where both lie on
 * one disk, a copy otherwise. `snapshots/<id>/` holds the rows and a manifest, and appears by a rename when all is there and
 * was read again: what is in `snapshots` is whole. `tmp` holds what is being made.
 */
export type BackupFolder = ReturnType<typeof openBackupFolder>

export function openBackupFolder(root: string, log: FastifyBaseLogger) {
  const at = (...names: string[]) => join(root, ...names)
  const blobPath = (sha256: string) => at(blobKey(sha256))
  const damagedPath = (sha256: string) => `${blobPath(sha256)}${damagedEnding}`
  const snapshotOf = (id: string) => snapshotIn(at('snapshots', id))

  const throwExplained = (error: unknown): never => {
    throw explainBackupFault(root, error)
  }

  /** Whether the backups are here. The disk may have come, or been changed, since the start. */
  const check = () => requireMark(root)

  /** Before anything is written or swept. */
  async function prepare() {
    await check()
    for (const name of folders) await mkdir(at(name), { recursive: true, mode: 0o700 })
  }

  /** For whoever wants to know before the next backup does. */
  async function checkWritable() {
    await prepare()
    for (const name of folders) await access(at(name), constants.R_OK | constants.W_OK | constants.X_OK)
    const path = temporaryPath()
    await writeFile(path, '', { flag: 'wx' })
    await rm(path)
  }

  async function hasBlob(sha256: string, bytes: number) {
    return (await statFile(blobPath(sha256)))?.bytes === bytes
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
   */
  async function setAsideBlob(sha256: string) {
    await unlessMissing(rename(blobPath(sha256), damagedPath(sha256)))
  }

  /** Takes a file of the library in under its hash; says whether the bytes are the ones that the name promises. */
  async function addBlob(sha256: string, source: string) {
    const path = temporaryPath()
    try {
      await linkOrCopy(source, path)
      if ((await hashLocal(path)).sha256 !== sha256) return false
      await syncFile(path)
      await placeBlob(sha256, path)
      return true
    } catch (error) {
      if (readingFaults.includes(String(errorCode(error))) && !(await isSourceWhole(sha256, source))) return false
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

  /** The same for bytes that are on their way. */
  async function receiveBlob(sha256: string, source: AsyncIterable<Uint8Array>, maxBytes: number) {
    const place = { disk: nodeDisk, path: temporaryPath(), keep }
    await using arrival = await receive(source, { maxBytes }, place)
    if (arrival.sha256 !== sha256) return false
    await arrival.keep()
    return true
  }

  async function keep({ file, path, sha256 }: Received) {
    await syncAndClose(file)
    await placeBlob(sha256, path)
  }

  async function placeBlob(sha256: string, path: string) {
    const target = blobPath(sha256)
    if (await nodeDisk.makeFolder(dirname(target))) {
      await nodeDisk.syncFolder(at('blobs'))
      await nodeDisk.syncFolder(dirname(dirname(target)))
    }
    await rename(path, target)
    await nodeDisk.syncFolder(dirname(target))
    await rm(damagedPath(sha256), { force: true })
  }

  /** A link or copy for somebody who will take it away; what goes wrong with them is theirs to tell. */
  async function lendBlob<T>(sha256: string, use: (path: string) => Promise<T>) {
    const path = temporaryPath()
    try {
      await linkOrCopy(blobPath(sha256), path).catch(throwExplained)
      return await use(path)
    } finally {
      await rm(path, { force: true })
    }
  }

  function temporaryPath(name = randomBytes(12).toString('hex')) {
    return at('tmp', name)
  }

  async function listTemporary() {
    return (await unlessMissing(readdir(at('tmp')))) ?? []
  }

  /** Another name, under which nobody else looks for it: of several who reach for it at the same moment one has it. */
  async function takeTemporary(name: string) {
    const folder = temporaryPath()
    const isTaken = (await unlessMissing(rename(temporaryPath(name), folder))) !== null
    return isTaken ? draftIn(folder) : null
  }

  /** It may not go for the same reason that kept it from its place, which is the one to tell; then the sweep removes it. */
  const draftIn = (folder: string) => ({
    ...snapshotIn(folder),
    [Symbol.asyncDispose]: () =>
      rm(folder, { recursive: true, force: true }).catch((error) =>
        log.warn({ err: error }, 'draft of a backup was left behind'),
      ),
  })

  /** A folder in the making; `publish` gives it its place, otherwise it goes. */
  async function startSnapshot() {
    await prepare()
    const id = freshId()
    const draft = draftIn(temporaryPath(id))
    await mkdir(draft.folder, { mode: 0o700 })
    async function publish(manifest: Manifest) {
      await draft.writeManifest(manifest)
      await syncFile(draft.documentPath)
      await nodeDisk.syncFolder(draft.folder)
      await rename(draft.folder, at('snapshots', id))
      await nodeDisk.syncFolder(at('snapshots'))
    }
    return { id, ...draft, ...withCatch({ publish }, throwExplained) }
  }

  /**
   * The mark is looked for on both sides of it: a disk may be mounted, or taken away, meanwhile. Where the mark is, what was
   * read is what there is, and a new folder has none yet.
   */
  async function listSnapshotIds() {
    await check()
    const names = (await unlessMissing(readdir(at('snapshots')))) ?? []
    await check()
    return names.filter((name) => backupId.test(name)).sort()
  }

  /** The id may come from an address: what is none never becomes a path. */
  async function readManifest(id: string) {
    return backupId.test(id) ? snapshotOf(id).readManifest() : null
  }

  async function loadManifest(id: string) {
    const manifest = await readManifest(id)
    if (manifest) return manifest
    // Nothing is there while the disk is not.
    await check()
    throw notFound('Backup')
  }

  /** Taken away under another name first: a half-deleted backup is never seen. */
  async function removeSnapshot(id: string) {
    const path = temporaryPath()
    const isThere = (await unlessMissing(rename(at('snapshots', id), path))) !== null
    await rm(path, { recursive: true, force: true })
    return isThere
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
        prepare,
        checkWritable,
        hasBlob,
        refreshBlob,
        isBlobWhole: (sha256: string) => isLocalWhole(blobPath(sha256), sha256),
        setAsideBlob,
        addBlob,
        receiveBlob,
        listTemporary,
        takeTemporary,
        startSnapshot,
        listSnapshotIds,
        readManifest,
        loadManifest,
        readProven: (id: string) => snapshotOf(id).readProven(),
        markProven: (id: string, provenAt: string) => snapshotOf(id).markProven(provenAt),
        removeSnapshot,
      },
      throwExplained,
    ),
  }
}

const freshId = () => {
  const [day, time] = new Date().toISOString().slice(0, 19).split('T') as [string, string]
  return `${day.replaceAll('-', '')}-${time.replaceAll(':', '')}-${randomBytes(4).toString('hex')}`
}

async function linkOrCopy(from: string, to: string) {
  try {
    await link(from, to)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT') throw error
    // Another disk, too many links, or a file system that knows none.
    await copyFile(from, to)
  }
}

async function syncFile(path: string) {
  const handle = await open(path, 'r')
  try {
    await handle.datasync()
  } finally {
    await handle.close()
  }
}

/** When a name last changed its file: for a hard link, when it was made or refreshed. */
export async function changedAt(path: string) {
  return (await unlessMissing(stat(path)))?.ctimeMs ?? null
}
