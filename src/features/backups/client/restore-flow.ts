import { ApiError } from '#platform/client/call.ts'
import type { RestoreProgress } from '../contract.ts'

export const pollAfterMs = 1000
const retryAfterMs = 2000
export const reloadAfterMs = 2000

export type NextStep =
  | { do: 'ask-again'; afterMs: number }
  | { do: 'celebrate'; healedFiles: number; lostFiles: number }
  | { do: 'tell-failure'; message: string }
  | { do: 'give-up' }

/** The next step after a progress response. */
export function afterAnswer({ step, message, isRestoring, healedFiles = 0, lostFiles = 0 }: RestoreProgress): NextStep {
  if (isRestoring) return { do: 'ask-again', afterMs: pollAfterMs }
  if (step === 'Error') return { do: 'tell-failure', message }
  return step === 'Complete' ? { do: 'celebrate', healedFiles, lostFiles } : { do: 'give-up' }
}

/** An error response ends the polling; an unreachable server may come back. */
export function afterFault(error: unknown): NextStep {
  return error instanceof ApiError ? { do: 'give-up' } : { do: 'ask-again', afterMs: retryAfterMs }
}
