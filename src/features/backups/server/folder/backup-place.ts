import { randomUUID } from 'node:crypto'
import { readdir, realpath, writeFile } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import type { Kysely } from 'kysely'
import { nodeDisk } from '#engines/storage/disk.ts'
import { statFile, unlessMissing } from '#engines/storage/local-files.ts'
import { AppError } from '#platform/errors.ts'
import { type Config, ConfigError } from '#platform/server/config.ts'
import { claimSetting, loadSetting } from '#platform/server/db/settings.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { makeFolder } from '#platform/server/make-folder.ts'

export const backupId = /^[0-9]{8}-[0-9]{6}-[0-9a-f]{8}$/
const markName = 'albumen-backups'
const settingName = 'backup-folder'
const libraryFolders = ['blobs', 'derived', 'tmp', 'cache']

/**
 * A library keeps its files under the same names as a backup folder does, and to the sweep of the one those of the other are
 * files that nothing needs. So the start stops at a folder that is not ours alone, before anything is written into it.
 */
export async function refuseForeignBackupFolder({ backupDir, dataDir }: Pick<Config, 'backupDir' | 'dataDir'>) {
  await makeFolder(backupDir, 0o700)
  const [root, data] = await Promise.all([realpath(backupDir), realpath(dataDir)])
  const refuse = (what: string) => {
    throw new ConfigError(`BACKUP_DIR (${backupDir}) ${what}`)
  }
  if (root === data) refuse('is DATA_DIR itself: name a folder that holds nothing but backups')
  if (isWithin(data, root)) refuse('holds DATA_DIR: name a folder that holds nothing but backups')
  if (isWithin(root, data) && libraryFolders.includes(relative(data, root).split(sep)[0]!)) {
    refuse("lies among the library's own files: name a folder that holds nothing but backups")
  }
  for (const name of ['library-id', 'albumen.db']) {
    if (!(await statFile(join(root, name)))) continue
    refuse(`is the folder of a library, since ${name} is in it: name the folder backups in it, or another one`)
  }
  if (await hasMark(root)) return
  // The folder that is made last is looked at first: another process may be making them.
  const used = []
  for (const name of ['tmp', 'blobs']) if ((await namesIn(join(root, name))).length > 0) used.push(name)
  if (used.length === 0 || (await hasSnapshots(root))) return
  refuse(`has files of something else in ${used.join(' and ')}: name an empty folder, or one with backups in it`)
}

/**
 * What is in the folder is ours: only with this word is anything written or swept there. The database remembers that a folder
 * has it, so that a disk that is not mounted, or another process's folder, is not taken for a new one. Of several processes
 * that start for the first time, one marks its folder; the others find the mark in the same one, or have another.
 */
export async function claimBackupFolder(db: Kysely<Tables>, root: string) {
  const isKnown = (await loadSetting(db, settingName)) !== undefined
  if (!isKnown) await db.transaction().execute((transaction) => markOnce(transaction, root))
  await requireMark(root)
}

export async function requireMark(root: string) {
  if (await hasMark(root)) return
  throw new AppError(
    'backups-away',
    503,
    `BACKUP_DIR (${root}) does not have the mark of the backup folder, the file ${markName}: is its disk mounted, and is it the same folder for all processes? To begin anew there, make an empty file of that name in it.`,
  )
}

/** If the mark cannot be written, nothing is remembered either. */
async function markOnce(transaction: Db, root: string) {
  const own = randomUUID()
  const isFirst = (await claimSetting(transaction, settingName, own)) === own
  if (!isFirst || (await hasMark(root))) return
  await writeFile(join(root, markName), 'Albumen keeps its backups here and removes what none of them needs.\n')
  await nodeDisk.syncFolder(root)
}

async function hasMark(root: string) {
  return (await statFile(join(root, markName))) !== null
}

/** Those of earlier versions have no mark; a copy of one may lack a folder that was empty. */
async function hasSnapshots(root: string) {
  const names = await unlessMissing(readdir(join(root, 'snapshots')))
  return names !== null && (names.length === 0 || names.some((name) => backupId.test(name)))
}

async function namesIn(folder: string) {
  return (await unlessMissing(readdir(folder))) ?? []
}

export function isWithin(path: string, folder: string) {
  const way = relative(folder, path)
  return !isAbsolute(way) && way.split(sep)[0] !== '..'
}
