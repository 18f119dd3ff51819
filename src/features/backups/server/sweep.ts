import { readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { unlessMissing } from '#engines/storage/local-files.ts'
import { listNamedFiles } from './archive.ts'
import { damagedEnding } from './backup-blobs.ts'
import type { BackupFolder } from './backup-folder.ts'
import type { BackupServices } from './create-backup.ts'

type Services = Pick<BackupServices, 'backupFolder' | 'log'>

const dayMs = 24 * 3600_000

/**
 * Removes what no backup needs any more. Both sides are read in the order of their hashes, side by side, so a million
 * files cost no memory. What changed within a day stays: a backup that is being made may count on it.
 */
export async function sweepBackups({ backupFolder: folder, log }: Services, olderThanMs = dayMs) {
  const limit = Date.now() - olderThanMs
  await folder.prepare()
  await sweepTemporary(folder, limit)
  const ids = await folder.listSnapshotIds()
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

async function* filesInFolder({ root }: BackupFolder) {
  const blobs = join(root, 'blobs')
  const isOurs = (name: string) => /^[0-9a-f]{64}$/.test(name.replace(damagedEnding, ''))
  for (const first of (await readdir(blobs)).sort()) {
    for (const second of (await readdir(join(blobs, first))).sort()) {
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
