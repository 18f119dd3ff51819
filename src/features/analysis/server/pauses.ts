import type { AppError } from '#platform/errors.ts'

/** Longer pauses, such as a daily quota, are not waited for. */
export const longestPauseMs = 15 * 60_000
/** The pause after a rate limit without a given time; doubled after each failure in a row. */
const usualPauseMs = 20_000

const askedForMs = ({ details }: AppError) => Number(details.retryAfterSeconds ?? 0) * 1000

/** Whether the endpoint asked to send no request for a while. */
export const asksForPause = (fault: AppError) =>
  fault.code === 'ai-rate' || (fault.code === 'ai-server' && askedForMs(fault) > 0)

/** Whether the pause is short enough for background work to wait for it. */
export const isWorthWaiting = (fault: AppError) => asksForPause(fault) && askedForMs(fault) <= longestPauseMs

export const endpointPauseMs = (fault: AppError) => Math.min(longestPauseMs, Math.max(usualPauseMs, askedForMs(fault)))

export const pauseMs = (fault: AppError, earlier: number) =>
  Math.min(longestPauseMs, Math.max(usualPauseMs * 2 ** earlier, askedForMs(fault)))
