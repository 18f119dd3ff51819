const sqliteFull = 13
const postgresDiskFull = '53100'
const sqliteReadOnly = 8
const sqliteIoError = 10

/** True for a full disk, whether a file, SQLite or PostgreSQL reports it. */
export function isDiskFull(error: unknown) {
  const { code, sqliteCode } = codesOf(error)
  return sqliteCode === sqliteFull || code === 'ENOSPC' || code === 'EDQUOT' || code === postgresDiskFull
}

/** True for a disk that cannot be written to; many systems remount a disk read-only at its first error. */
export function isDiskReadOnly(error: unknown) {
  const { code, sqliteCode } = codesOf(error)
  return sqliteCode === sqliteReadOnly || sqliteCode === sqliteIoError || code === 'EROFS'
}

/** The lowest byte of SQLite's extended error code is the primary code. */
function codesOf(error: unknown): { code?: unknown; sqliteCode?: number } {
  if (!(error instanceof Error)) return {}
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown }
  return { code, sqliteCode: code === 'ERR_SQLITE_ERROR' ? Number(errcode) & 0xff : undefined }
}

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
])

/** True when a peer cannot be reached at the moment, so a later attempt may succeed. */
export function isNetworkError(error: unknown) {
  return error instanceof Error && 'code' in error && networkCodes.has(String(error.code))
}
