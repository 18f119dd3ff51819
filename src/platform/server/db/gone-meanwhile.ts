const sqliteForeignKey = 787
const postgresForeignKey = '23503'

/** True when what a new row belongs to, such as its owner's account, was deleted since it was looked for. */
export function isGoneMeanwhile(error: unknown) {
  if (!(error instanceof Error)) return false
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown }
  return code === 'ERR_SQLITE_ERROR' ? errcode === sqliteForeignKey : code === postgresForeignKey
}
