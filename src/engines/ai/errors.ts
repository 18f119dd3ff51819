import { AppError, withCause } from '#platform/errors.ts'
import { UnexpectedTaskError } from '#platform/server/process-pool/process-pool.ts'

/** Why an analysis could not be made; each is a state that an item can show and a person can act upon. */
export type AiErrorKind =
  | 'auth'
  | 'model'
  | 'rate'
  | 'timeout'
  | 'network'
  | 'server'
  | 'refused'
  | 'invalid-output'
  | 'too-large'
  | 'no-vision'
  | 'models-missing'
  | 'unreadable'
  | 'crashed'

/** What passes by itself and is worth another attempt later; the rest needs a person. */
const passingKinds: ReadonlySet<AiErrorKind> = new Set(['rate', 'timeout', 'network', 'server', 'crashed'])

const statuses: Partial<Record<AiErrorKind, number>> = {
  rate: 503,
  timeout: 504,
  unreadable: 422,
  'models-missing': 503,
  crashed: 500,
}

const prefix = 'ai-'

export function aiError(kind: AiErrorKind, message: string, details: { retryAfterSeconds?: number } = {}): AppError {
  return new AppError(`${prefix}${kind}`, statuses[kind] ?? 502, message, {
    isRetryable: passingKinds.has(kind),
    ...details,
  })
}

/** The kind of a fault made by `aiError`, also after it has travelled from a child process. */
export function aiErrorKind(error: unknown): AiErrorKind | undefined {
  if (!(error instanceof AppError) || !error.code.startsWith(prefix)) return undefined
  return error.code.slice(prefix.length) as AiErrorKind
}

export const unreadablePicture = () => aiError('unreadable', 'The image could not be read; the file may be damaged.')

/** The decoders' and the pool's own faults in the words of an analysis; a person's abort passes unchanged. */
export function asAiError(error: unknown): unknown {
  if (error instanceof UnexpectedTaskError) {
    return withCause(aiError('crashed', 'The analysis failed unexpectedly. Please try again.'), error)
  }
  if (!(error instanceof AppError) || aiErrorKind(error)) return error
  if (error.code === 'unavailable') return withCause(aiError('crashed', error.message), error)
  if (error.code === 'worker-died')
    return withCause(aiError('crashed', 'The analysis stopped unexpectedly. Please try again.'), error)
  if (error.code === 'timeout') return aiError('timeout', 'The analysis took too long and was stopped.')
  if (error.status < 500) return unreadablePicture()
  return error
}
