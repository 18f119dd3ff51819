/** How long a process may be silent before its jobs are taken over. */
export const leaseMs = 30_000
export const maxAttempts = 5

/** 2 s, 8 s, 32 s, 128 s: quick for a hiccup, patient with a service that is down. */
export function backOffMs(attempt: number) {
  return 2000 * 4 ** (attempt - 1)
}
