import { randomBytes } from 'node:crypto'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeDisk, syncFile } from '#engines/storage/disk.ts'
import { unlessMissing } from '#engines/storage/local-files.ts'
import { notFound } from '#platform/errors.ts'
import type { createBackupDrafts } from './backup-drafts.ts'
import { backupId } from './backup-place.ts'
import type { Manifest } from './manifest.ts'
import { snapshotIn } from './snapshot-folder.ts'
import { createStagedFiles, type Places } from './staged-files.ts'

type Place = {
  drafts: ReturnType<typeof createBackupDrafts>
  places: Places
  /** Throws unless the backups are here. */
  requirePresence: () => Promise<void>
}

/** The backups that are finished: how they come into `snapshots`, are found there, and go. */
export function createBackupSnapshots(root: string, { drafts, places, requirePresence }: Place) {
  const snapshots = join(root, 'snapshots')
  const snapshotOf = (id: string) => snapshotIn(join(snapshots, id))

  /** A folder in the making; `publish` gives it its place, otherwise it goes. */
  async function startSnapshot() {
    const id = freshId()
    const draft = await drafts.makeDraftFolder(id)
    const { stage, place } = createStagedFiles(draft.folder, places)
    async function publish(manifest: Manifest) {
      await draft.writeManifest(manifest)
      await syncFile(nodeDisk, draft.documentPath)
      // What needs room is written: a disk that is full keeps nothing of a backup that is not there.
      await place()
      await nodeDisk.syncFolder(draft.folder)
      await rename(draft.folder, join(snapshots, id))
      await nodeDisk.syncFolder(snapshots)
    }
    return { id, ...draft, stage, publish }
  }

  /**
   * The mark is looked for on both sides of it: a disk may be mounted, or taken away, meanwhile. Where the mark is, what was
   * read is what there is, and a new folder has none yet.
   */
  async function listSnapshotIds() {
    await requirePresence()
    const names = (await unlessMissing(readdir(snapshots))) ?? []
    await requirePresence()
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
    await requirePresence()
    throw notFound('Backup')
  }

  /** Taken away under another name first: a half-deleted backup is never seen. */
  async function removeSnapshot(id: string) {
    const path = drafts.temporaryPath()
    await unlessMissing(rename(join(snapshots, id), path))
    await rm(path, { recursive: true, force: true })
  }

  return { snapshotOf, startSnapshot, listSnapshotIds, readManifest, loadManifest, removeSnapshot }
}

const freshId = () => {
  const [day, time] = new Date().toISOString().slice(0, 19).split('T') as [string, string]
  return `${day.replaceAll('-', '')}-${time.replaceAll(':', '')}-${randomBytes(4).toString('hex')}`
}
