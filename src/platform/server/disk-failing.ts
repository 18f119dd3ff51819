/** Read-only, and a fault of the disk. */
const sqliteCodes = [8, 10]

/** True for a disk that cannot be written to: at its first fault many systems mount it for reading alone. */
export function isDiskFailing(error: unknown) {
  if (!(error instanceof Error)) return false
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown }
  if (code === 'ERR_SQLITE_ERROR') return sqliteCodes.includes(Number(errcode) & 0xff)
  return code === 'EROFS'
}
