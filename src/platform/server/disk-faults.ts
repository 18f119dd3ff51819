const sqliteFull = 13
const postgresDiskFull = '53100'
const sqliteReadOnly = 8
const sqliteDiskFault = 10

/** True for a full disk, whoever met it: a file, SQLite or PostgreSQL. */
export function isDiskFull(error: unknown) {
  const { code, sqliteCode } = codesOf(error)
  return sqliteCode === sqliteFull || code === 'ENOSPC' || code === 'EDQUOT' || code === postgresDiskFull
}

/** True for a disk that cannot be written to: at its first fault many systems mount it for reading alone. */
export function isDiskFailing(error: unknown) {
  const { code, sqliteCode } = codesOf(error)
  return sqliteCode === sqliteReadOnly || sqliteCode === sqliteDiskFault || code === 'EROFS'
}

/** SQLite says more above its lowest byte, which alone tells the kind. */
function codesOf(error: unknown): { code?: unknown; sqliteCode?: number } {
  if (!(error instanceof Error)) return {}
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown }
  return { code, sqliteCode: code === 'ERR_SQLITE_ERROR' ? Number(errcode) & 0xff : undefined }
}
