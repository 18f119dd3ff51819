import { errorCode } from '#engines/storage/disk.ts'
import { AppError, storageFull, withCause } from '#platform/errors.ts'
import { isDiskFull } from '#platform/server/disk-faults.ts'
import { isWithin } from './backup-place.ts'

const refusals = ['EACCES', 'EPERM', 'EROFS']

const isRefusal = (error: unknown): error is NodeJS.ErrnoException & { dest?: string } =>
  refusals.includes(String(errorCode(error)))

/** The library may lie on another disk: what the one of the backups cannot or may not do is told with its folder's name. */
export function explainBackupFault(root: string, error: unknown) {
  const cause = error instanceof AppError && error.code === 'storage-full' ? error.cause : error
  if (isDiskFull(cause)) {
    return withCause(
      storageFull(`The disk of the backups (${root}) is full. Free some space there and try again.`),
      error,
    )
  }
  if (error instanceof Error && errorCode(error) === 'EIO') {
    const sentence = `The disk of the backups (${root}) fails (${error.message}): check the disk and how it is connected, or name another folder.`
    return withCause(new AppError('backups-unusable', 503, sentence), error)
  }
  if (!isRefusal(error)) return error
  // What cannot be read of the library is another matter; what is brought from there to here has both paths.
  const isHere = [error.path, error.dest].some((path) => path !== undefined && isWithin(path, root))
  if (!isHere) return error
  const sentence = `BACKUP_DIR (${root}) cannot be read and written (${error.code}): let the user that Albumen runs as do both there, mount its disk for writing, or name another folder.`
  return withCause(new AppError('backups-unusable', 503, sentence), error)
}

/** What may not be read is not lost. Were it taken for that, a library whose rights are wrong would be backed up as empty. */
export function explainSourceFault(error: unknown) {
  if (!isRefusal(error)) return error
  const sentence = `A file of the library may not be read (${error.message}): let the user that Albumen runs as read everything in DATA_DIR.`
  return withCause(new AppError('library-unreadable', 503, sentence), error)
}

/** Of one backup, whatever the others are. */
export const damagedBackup = (what: string, advice = 'Please choose another one.') =>
  new AppError('damaged-backup', 409, `This backup is damaged: ${what}. ${advice}`)

/** As they are met where a file is lost to its disk, or something else stands in its place. */
const losses = ['EIO', 'ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP']

/** What may not be read is not damaged, and what is wrong with the machine (too many open files) is no fault of a backup. */
export function explainSnapshotFault(what: string, error: unknown) {
  if (isRefusal(error)) {
    const sentence = `This backup cannot be read (${error.message}): let the user that Albumen runs as read everything in BACKUP_DIR.`
    return withCause(new AppError('unreadable-backup', 503, sentence), error)
  }
  const isOfSystem = error instanceof Error && 'syscall' in error
  if (isOfSystem && !losses.includes(String(errorCode(error)))) return error
  return withCause(damagedBackup(`${what} cannot be read`), error)
}

/** What one backup cannot do, others still can. */
export const isFaultOfOneBackup = (error: unknown): error is AppError =>
  error instanceof AppError && ['damaged-backup', 'unreadable-backup'].includes(error.code)

type AsyncCalls = Record<string, (...given: never[]) => Promise<unknown>>

/** The same calls, each with the same `catch`: none is forgotten. */
export function withCatch<Calls extends AsyncCalls>(calls: Calls, onFault: (error: unknown) => Promise<never>) {
  const caught = Object.entries(calls).map(([name, call]) => [
    name,
    (...given: never[]) => call(...given).catch(onFault),
  ])
  return Object.fromEntries(caught) as Calls
}
