import { access, constants, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { errorCode, nodeDisk } from '#engines/storage/disk.ts'
import { createBackupBlobs, linkOrCopy } from './backup-blobs.ts'
import { createBackupDrafts } from './backup-drafts.ts'
import { explainBackupFault, withCatch } from './backup-faults.ts'
import { requireMark } from './backup-place.ts'
import { createBackupSnapshots } from './backup-snapshots.ts'

const folders = ['snapshots', 'blobs', 'tmp']

/**
 * [Note: Backups share their files]
 * `blobs/ab/cd/<sha256>` holds every file that some backup needs, once: a hard link to the library's own where both lie on
 * one disk, a copy otherwise. `snapshots/<id>/` holds the rows and a manifest, and appears by a rename when all is there and
 * was read again: what is in `snapshots` is whole. `tmp` holds what is being made.
 */
export type BackupFolder = ReturnType<typeof openBackupFolder>

/** Whatever goes wrong with the folder itself is told with its name, whichever of its parts met it. */
export function openBackupFolder(root: string, log: FastifyBaseLogger) {
  /** The disk may have come, gone or been changed since the start. */
  const requirePresence = () => requireMark(root)

  async function throwExplained(error: unknown): Promise<never> {
    // Nothing is found where the disk has gone meanwhile.
    if (errorCode(error) === 'ENOENT') await requirePresence()
    throw explainBackupFault(root, error)
  }

  const drafts = createBackupDrafts(root, log)
  const { temporaryPath, listTemporary, takeTemporary } = drafts
  const { blobPath, makePlace, placeBlob, ...blobs } = createBackupBlobs(root, temporaryPath)
  const { snapshotOf, ...snapshots } = createBackupSnapshots(root, {
    drafts,
    places: { makePlace, placeBlob },
    requirePresence,
  })

  /** Before anything is written or swept. */
  async function prepare() {
    await requirePresence()
    let isNew = false
    for (const name of folders) if (await nodeDisk.makeFolder(join(root, name))) isNew = true
    if (isNew) await nodeDisk.syncFolder(root)
  }

  /** For whoever wants to know before the next backup does. */
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
