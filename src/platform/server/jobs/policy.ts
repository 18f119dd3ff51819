export type JobPolicy = {
  /** How long a process may be silent before its jobs are taken over. */
  leaseMs: number
  maxAttempts: number
  /** Even when a word between processes is lost, no job waits longer than this. */
  pollMs: number
  backOffMs(attempt: number): number
}

export const usualPolicy: JobPolicy = {
  leaseMs: 30_000,
  maxAttempts: 5,
  pollMs: 2000,
  /** 2 s, 8 s, 32 s, 128 s: quick for a hiccup, patient with a service that is down. */
  backOffMs: (attempt) => 2000 * 4 ** (attempt - 1),
}
