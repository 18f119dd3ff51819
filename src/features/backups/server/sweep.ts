import { readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { blobOfKey, isShardName } from '#engines/storage/keys.ts'
import { unlessMissing } from '#engines/storage/local-files.ts'
import { AppError, withCause } from '#platform/errors.ts'
import type { BackupServices } from './backup-services.ts'
import { damagedBackup, isFaultOfOneBackup } from './folder/backup-faults.ts'
import { type BackupFolder, damagedSuffix } from './folder/backup-folder.ts'
import { listNamedFiles } from './folder/snapshots.ts'

type Services = Pick<BackupServices, 'backupFolder' | 'log'>

const dayMs = 24 * 3600_000

/**
 * Removes files that no backup needs. Folder and file lists are merged in the order of their hashes, so a million files
 * need no memory. Files changed within a day stay, since a running backup may rely on them.
 */
export function sweepBackups(services: Services, olderThanMs = dayMs) {
  return sweep(services, olderThanMs).catch(services.backupFolder.throwExplained)
}

async function sweep({ backupFolder: folder, log }: Services, olderThanMs: number) {
  const cutoff = Date.now() - olderThanMs
  await folder.prepare()
  await sweepTemporary(folder, cutoff)
  const ids = await folder.listSnapshotIds()
  for (const id of ids) {
    await requireOrder(folder.documentPath(id)).catch((error) => {
      throw isFaultOfOneBackup(error) ? withCause(notSwept(id), error) : error
    })
  }
  const lists = ids.map((id) => listNamedFiles(folder.documentPath(id)))
  let removed = 0
  try {
    const heads = await Promise.all(lists.map((list) => list.next()))
    for await (const name of filesInFolder(folder)) {
      const sha256 = name.slice(0, 64)
      let isNeeded = false
      for (const [index, list] of lists.entries()) {
        while (!heads[index]!.done && heads[index]!.value.sha256 < sha256) heads[index] = await list.next()
        if (!heads[index]!.done && heads[index]!.value.sha256 === sha256) isNeeded = true
      }
      if (isNeeded) continue
      const path = join(dirname(folder.blobPath(sha256)), name)
      const changed = await changedAt(path)
      if (changed === null || changed > cutoff) continue
      await rm(path, { force: true })
      removed++
    }
    return removed
  } finally {
    if (removed > 0) log.info({ files: removed }, 'unused backup files removed')
    for (const list of lists) await list.return(undefined)
  }
}

const notSwept = (id: string) =>
  new AppError(
    'not-swept',
    409,
    `No files were removed from the backup folder because the files of backup ${id} cannot be listed. Delete or repair that backup.`,
  )

/** A list in another order is damaged, so it is unknown which files the backup needs and nothing is removed. */
async function requireOrder(documentPath: string) {
  let last = ''
  for await (const { sha256 } of listNamedFiles(documentPath)) {
    if (sha256 <= last) throw damagedBackup('its files are not listed in order')
    last = sha256
  }
}

/** Only files in the folder of their hash; one in another folder would break the order. */
async function* filesInFolder({ root }: BackupFolder) {
  const blobs = join(root, 'blobs')
  for (const first of (await readdir(blobs)).filter(isShardName).sort()) {
    for (const second of (await readdir(join(blobs, first))).filter(isShardName).sort()) {
      const isOurs = (name: string) => blobOfKey(`blobs/${first}/${second}/${name.replace(damagedSuffix, '')}`) !== null
      yield* (await readdir(join(blobs, first, second))).filter(isOurs).sort()
    }
  }
}

/** Removes what a crash left behind. A lent hard link has an old mtime, but a new ctime. */
async function sweepTemporary(folder: BackupFolder, cutoff: number) {
  for (const name of await folder.listTemporary()) {
    const path = folder.temporaryPath(name)
    const changed = await changedAt(path)
    if (changed !== null && changed <= cutoff) await rm(path, { recursive: true, force: true })
  }
}

/** The ctime: for a hard link, when it was created or refreshed. */
async function changedAt(path: string) {
  return (await unlessMissing(stat(path)))?.ctimeMs ?? null
}
