import type { AppError } from '#platform/errors.ts'

/** What an endpoint asks for that lasts longer, such as a day's quota, is not waited for. */
export const longestPauseMs = 15 * 60_000
/** Before an endpoint is asked again that has named no time; doubled while nothing is answered in between. */
const usualPauseMs = 20_000

const askedForMs = ({ details }: AppError) => Number(details.retryAfterSeconds ?? 0) * 1000

/** The endpoint has heard the question and wants no other for a while. */
export const asksForPause = (fault: AppError) =>
  fault.code === 'ai-rate' || (fault.code === 'ai-server' && askedForMs(fault) > 0)

/** It is over soon enough for work that nobody sits and waits for. */
export const isWorthWaiting = (fault: AppError) => asksForPause(fault) && askedForMs(fault) <= longestPauseMs

export const restMs = (fault: AppError) => Math.min(longestPauseMs, Math.max(usualPauseMs, askedForMs(fault)))

export const pauseMs = (fault: AppError, earlier: number) =>
  Math.min(longestPauseMs, Math.max(usualPauseMs * 2 ** earlier, askedForMs(fault)))
