import { isAbsolute, relative, sep } from 'node:path'
import { errorCode } from '#engines/storage/disk.ts'
import { AppError, storageFull, withCause } from '#platform/errors.ts'
import { isDiskFull } from '#platform/server/system-errors.ts'

const refusals = ['EACCES', 'EPERM', 'EROFS']

const isRefusal = (error: unknown): error is NodeJS.ErrnoException & { dest?: string } =>
  refusals.includes(String(errorCode(error)))

/** Names the backup folder in its disk and permission errors, since the library may be on another disk. */
export function explainBackupFault(root: string, error: unknown) {
  const cause = error instanceof AppError && error.code === 'storage-full' ? error.cause : error
  if (isDiskFull(cause)) {
    return withCause(storageFull(`The backup disk (${root}) is full. Free up space there and try again.`), error)
  }
  if (error instanceof Error && errorCode(error) === 'EIO') {
    const sentence = `The backup disk (${root}) is failing (${error.message}). Check the disk and its connection, or choose another folder.`
    return withCause(new AppError('backups-unusable', 503, sentence), error)
  }
  if (!isRefusal(error)) return error
  // A permission error of the library is another problem. A copy from there has both paths.
  const isHere = [error.path, error.dest].some((path) => path !== undefined && isWithin(path, root))
  if (!isHere) return error
  const sentence = `BACKUP_DIR (${root}) is not readable and writable (${error.code}). Grant access to the user that runs Albumen, mount its disk for writing, or choose another folder.`
  return withCause(new AppError('backups-unusable', 503, sentence), error)
}

/** An unreadable file is not a missing one; otherwise a library with wrong permissions would be backed up as empty. */
export function explainSourceFault(error: unknown) {
  if (!isRefusal(error)) return error
  const sentence = `A library file is not readable (${error.message}). Let the user that runs Albumen read everything in DATA_DIR.`
  return withCause(new AppError('library-unreadable', 503, sentence), error)
}

/** Concerns one backup; the others may be intact. */
export const damagedBackup = (what: string, advice = 'Please choose another one.') =>
  new AppError('damaged-backup', 409, `This backup is damaged: ${what}. ${advice}`)

/** Error codes of a file that is lost, or replaced by something else. */
const lossCodes = ['EIO', 'ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP']

/** An unreadable file is not a damaged one, and a problem of the machine (too many open files) is not the backup's. */
export function explainSnapshotFault(what: string, error: unknown) {
  if (isRefusal(error)) {
    const sentence = `This backup is not readable (${error.message}). Let the user that runs Albumen read everything in BACKUP_DIR.`
    return withCause(new AppError('unreadable-backup', 503, sentence), error)
  }
  const isOfSystem = error instanceof Error && 'syscall' in error
  if (isOfSystem && !lossCodes.includes(String(errorCode(error)))) return error
  return withCause(damagedBackup(`${what} cannot be read`), error)
}

/** True for errors that concern one backup only. */
export const isFaultOfOneBackup = (error: unknown): error is AppError =>
  error instanceof AppError && ['damaged-backup', 'unreadable-backup'].includes(error.code)

type AsyncCalls = Record<string, (...given: never[]) => Promise<unknown>>

/** Wraps every function with the same `catch`, so that none is forgotten. */
export function withCatch<Calls extends AsyncCalls>(calls: Calls, onError: (error: unknown) => Promise<never>) {
  const caught = Object.entries(calls).map(([name, call]) => [
    name,
    (...given: never[]) => call(...given).catch(onError),
  ])
  return Object.fromEntries(caught) as Calls
}

export function isWithin(path: string, folder: string) {
  const fromFolder = relative(folder, path)
  return !isAbsolute(fromFolder) && fromFolder.split(sep)[0] !== '..'
}
