import { ConfigError } from '#platform/server/config.ts'
import { NewerDatabaseError } from '#platform/server/db/migrate.ts'
import { isDiskFull } from '#platform/server/system-errors.ts'
import { ForeignStorageError } from './storage-marker.ts'

const expected = [ConfigError, NewerDatabaseError, ForeignStorageError]
/** SQLite's error codes: READONLY and CANTOPEN; CORRUPT and NOTADB; IOERR. */
const sqliteAccessCodes = [8, 14]
const sqliteFileCodes = [11, 26]
const sqliteDiskCode = 10
const writingCalls = ['mkdir', 'access']
const lookingCalls = ['stat', 'lstat', 'realpath', 'scandir']

/** Explains a failed start in one line if the settings or the machine caused it; other errors keep their stack trace. */
export function explainStartFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (expected.some((type) => error instanceof type)) return error.message
  const { code, syscall, errcode, message } = error as NodeJS.ErrnoException & { errcode?: number }
  if (isDiskFull(error)) return `A disk is full: check DATA_DIR, BACKUP_DIR and the database (${message})`
  if (code === 'EADDRINUSE') return `PORT is in use by another program (${message})`
  if (syscall === 'listen' || syscall === 'getaddrinfo') return `Cannot listen on HOST and PORT (${message})`
  if (writingCalls.includes(String(syscall)) || (syscall === 'open' && code !== 'ENOENT')) {
    return `DATA_DIR or BACKUP_DIR is not writable (${message})${code === 'EACCES' ? mustBeOurs() : ''}`
  }
  if ((code === 'EACCES' || code === 'EIO') && lookingCalls.includes(String(syscall))) {
    return `DATA_DIR or BACKUP_DIR is not readable (${message})${code === 'EACCES' ? mustBeOurs() : ''}`
  }
  if (errcode !== undefined && (errcode & 0xff) === sqliteDiskCode) {
    return `The disk of DATA_DIR is full or failing (${message})`
  }
  if (errcode !== undefined && sqliteAccessCodes.includes(errcode & 0xff)) {
    return `The database in DATA_DIR is not writable (${message})${mustBeOurs()}`
  }
  if (errcode !== undefined && sqliteFileCodes.includes(errcode & 0xff)) {
    return `The database in DATA_DIR is damaged or not a database (${message})`
  }
  if (code === '42501') {
    return `The role in DATABASE_URL may not create tables or the extensions pg_trgm and btree_gin (${message})`
  }
  if (code === '3F000' || code === '42704') {
    return `The search_path of the role in DATABASE_URL lacks a schema for tables, or the schema of the extensions pg_trgm and btree_gin (${message})`
  }
  if (code === '25006') {
    return `The database in DATABASE_URL is read-only, like a replica (${message})`
  }
  return error.stack ?? message
}

/** By its number: in a container, the name is not known where the folder is. Windows has none. */
function mustBeOurs() {
  const user = process.getuid?.()
  return user === undefined ? '' : `: it must belong to user ${user}, which runs Albumen`
}
