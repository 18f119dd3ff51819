import { errorCode } from '#engines/storage/disk.ts'
import { AppError, storageFull, withCause } from '#platform/errors.ts'
import { isWithin } from './backup-place.ts'

const refusals = ['EACCES', 'EPERM', 'EROFS']

/** The library may lie on another disk: what the one of the backups refuses is told with its folder's name. */
export function explainBackupFault(root: string, error: unknown) {
  if (isFull(error)) {
    return withCause(
      storageFull(`The disk of the backups (${root}) is full. Free some space there and try again.`),
      error,
    )
  }
  const code = String(errorCode(error))
  if (!refusals.includes(code)) return error
  // What cannot be read of the library is another matter.
  const { path } = error as NodeJS.ErrnoException
  if (path === undefined || !isWithin(path, root)) return error
  const sentence = `BACKUP_DIR (${root}) cannot be read and written (${code}): let the user that Albumen runs as do both there, mount its disk for writing, or name another folder.`
  return withCause(new AppError('backups-unusable', 503, sentence), error)
}

/** Not the database's: that is the library's disk. */
function isFull(error: unknown) {
  const code = error instanceof AppError && error.code === 'storage-full' ? errorCode(error.cause) : errorCode(error)
  return code === 'ENOSPC' || code === 'EDQUOT'
}
