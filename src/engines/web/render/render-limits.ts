const MiB = 1024 * 1024

/** How much one page may have while it draws itself. */
export type RenderLimits = {
  /** Until the browser is there. */
  startMs: number
  pageMs: number
  /** Without any request under way for this long, a page counts as drawn. */
  quietMs: number
  /** For the browser to end in an orderly way. */
  closeMs: number
  requests: number
  atOnce: number
  /** All parts together; one that fails counts as if it had been as large as it may be. */
  bytes: number
  partBytes: number
  htmlLength: number
  /** Addresses of pictures that are noted. */
  wanted: number
}

export const defaultRenderLimits: RenderLimits = {
  startMs: 20_000,
  pageMs: 20_000,
  quietMs: 600,
  closeMs: 5000,
  requests: 250,
  atOnce: 8,
  bytes: 100 * MiB,
  partBytes: 4 * MiB,
  htmlLength: 15 * MiB,
  wanted: 1000,
}
