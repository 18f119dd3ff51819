const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
])

/** True for what the system calls a peer that cannot be reached at the moment: trying again later is worth it. */
export function isNetworkFault(error: unknown) {
  return error instanceof Error && 'code' in error && networkCodes.has(String(error.code))
}
