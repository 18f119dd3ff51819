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

export async function requireMarker(root: string) {
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

export function isWithin(path: string, folder: string) {
  const fromFolder = relative(folder, path)
  return !isAbsolute(fromFolder) && fromFolder.split(sep)[0] !== '..'
}
