const MiB = 1024 * 1024

/** How much of a foreign server's time and bytes is accepted. */
export type WebLimits = {
  redirects: number
  perHost: number
  /** Name look-up, connection and handshake together. */
  connectMs: number
  /** From the request to the end of the answer's header. */
  headerMs: number
  /** A whole page, redirects included; waiting for a free place at the host is not counted. */
  pageMs: number
  pageBytes: number
  /** A script or a style sheet of a page that is being drawn. */
  partMs: number
  peekMs: number
  fileMs: number
  fileBytes: number
  /** A page or a file of which fewer than `stallBytes` arrive within `stallMs` is given up. */
  stallMs: number
  stallBytes: number
}

export const defaultLimits: WebLimits = {
  redirects: 5,
  perHost: 4,
  connectMs: 10_000,
  // With the stall below: who is silent or drips is given up within 20 seconds, who keeps sending has the whole time.
  headerMs: 15_000,
  pageMs: 30_000,
  pageBytes: 15 * MiB,
  partMs: 8000,
  peekMs: 15_000,
  fileMs: 60 * 60_000,
  fileBytes: 500 * MiB,
  stallMs: 15_000,
  stallBytes: 16 * 1024,
}
