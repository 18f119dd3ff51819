import { readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { blobOfKey, isShardName } from '#engines/storage/keys.ts'
import { unlessMissing } from '#engines/storage/local-files.ts'
import { AppError, withCause } from '#platform/errors.ts'
import { listNamedFiles } from './archives/archive.ts'
import type { BackupServices } from './backup-services.ts'
import { damagedBackup, isFaultOfOneBackup } from './folder/backup-faults.ts'
import type { BackupFolder } from './folder/backup-folder.ts'
import { damagedSuffix } from './folder/backup-folder.ts'

type Services = Pick<BackupServices, 'backupFolder' | 'log'>

const dayMs = 24 * 3600_000

/**
 * Removes what no backup needs any more. Both sides are read in the order of their hashes, side by side, so a million
 * files cost no memory. What changed within a day stays: a backup that is being made may count on it.
 */
export function sweepBackups(services: Services, olderThanMs = dayMs) {
  return sweep(services, olderThanMs).catch(services.backupFolder.throwExplained)
}

async function sweep({ backupFolder: folder, log }: Services, olderThanMs: number) {
  const limit = Date.now() - olderThanMs
  await folder.prepare()
  await sweepTemporary(folder, limit)
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
      if (changed === null || changed > limit) continue
      await rm(path, { force: true })
      removed++
    }
    return removed
  } finally {
    if (removed > 0) log.info({ files: removed }, 'files that no backup needs were removed from the backup folder')
    for (const list of lists) await list.return(undefined)
  }
}

const notSwept = (id: string) =>
  new AppError(
    'not-swept',
    409,
    `No file was removed from the backup folder: which of them the backup ${id} needs cannot be read. Delete that backup, or mend it.`,
  )

/** One whose list is in another order is not as it was written: nobody knows which files it needs, so all of them stay. */
async function requireOrder(documentPath: string) {
  let last = ''
  for await (const { sha256 } of listNamedFiles(documentPath)) {
    if (sha256 <= last) throw damagedBackup('its files are not listed in order')
    last = sha256
  }
}

/** Only what lies where its name belongs: a single one elsewhere would break the order. */
async function* filesInFolder({ root }: BackupFolder) {
  const blobs = join(root, 'blobs')
  for (const first of (await readdir(blobs)).filter(isShardName).sort()) {
    for (const second of (await readdir(join(blobs, first))).filter(isShardName).sort()) {
      const isOurs = (name: string) => blobOfKey(`blobs/${first}/${second}/${name.replace(damagedSuffix, '')}`) !== null
      yield* (await readdir(join(blobs, first, second))).filter(isOurs).sort()
    }
  }
}

/** What a crash left half-made; a link that is being lent has its file's old time, but a new name. */
async function sweepTemporary(folder: BackupFolder, limit: number) {
  for (const name of await folder.listTemporary()) {
    const path = folder.temporaryPath(name)
    const changed = await changedAt(path)
    if (changed !== null && changed <= limit) await rm(path, { recursive: true, force: true })
  }
}

/** When a name last changed its file: for a hard link, when it was made or refreshed. */
async function changedAt(path: string) {
  return (await unlessMissing(stat(path)))?.ctimeMs ?? null
}
