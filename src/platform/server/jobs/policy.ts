export type JobPolicy = {
  /** A process that does not extend its lease for this long loses its jobs. */
  leaseMs: number
  maxAttempts: number
  /** The longest wait for a due job when a notification between processes is lost. */
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
