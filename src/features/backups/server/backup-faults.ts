import { errorCode } from '#engines/storage/disk.ts'
import { AppError, storageFull, withCause } from '#platform/errors.ts'
import { isDiskFull } from '#platform/server/disk-full.ts'
import { isWithin } from './backup-place.ts'

const refusals = ['EACCES', 'EPERM', 'EROFS']

const isRefusal = (error: unknown): error is NodeJS.ErrnoException & { dest?: string } =>
  refusals.includes(String(errorCode(error)))

/** The library may lie on another disk: what the one of the backups refuses is told with its folder's name. */
export function explainBackupFault(root: string, error: unknown) {
  const cause = error instanceof AppError && error.code === 'storage-full' ? error.cause : error
  if (isDiskFull(cause)) {
    return withCause(
      storageFull(`The disk of the backups (${root}) is full. Free some space there and try again.`),
      error,
    )
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

type AsyncCalls = Record<string, (...given: never[]) => Promise<unknown>>

/** The same calls, each with the same `catch`: none is forgotten. */
export function withCatch<Calls extends AsyncCalls>(calls: Calls, onFault: (error: unknown) => never) {
  const caught = Object.entries(calls).map(([name, call]) => [
    name,
    (...given: never[]) => call(...given).catch(onFault),
  ])
  return Object.fromEntries(caught) as Calls
}
