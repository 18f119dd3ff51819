const sqliteFull = 13
const postgresDiskFull = '53100'

/** True for a full disk, whoever met it: a file, SQLite or PostgreSQL. */
export function isDiskFull(error: unknown) {
  if (!(error instanceof Error)) return false
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown }
  if (code === 'ERR_SQLITE_ERROR') return errcode === sqliteFull
  return code === 'ENOSPC' || code === 'EDQUOT' || code === postgresDiskFull
}
