/** A fault that a person can be told about: one sentence, a code that is a word, the right HTTP status. */
export class AppError extends Error {
  readonly code: string
  readonly status: number
  /** Further fields of the answer, e.g. `isDuplicate` or `field`. */
  readonly details: Record<string, unknown>

  constructor(code: string, status: number, message: string, details: Record<string, unknown> = {}) {
    super(message)
    this.name = 'AppError'
    this.code = code
    this.status = status
    this.details = details
  }
}

/** What really happened, for the log only; a person is told the sentence. */
export function withCause(error: AppError, cause: unknown): AppError {
  error.cause = cause
  return error
}

type Details = Record<string, unknown>

export const invalid = (message: string, details?: Details) => new AppError('invalid', 400, message, details)
export const unauthenticated = () => new AppError('unauthenticated', 401, 'Please sign in first.')
export const forbidden = (message = 'Only an administrator may do this.') => new AppError('forbidden', 403, message)
export const notFound = (what: string) => new AppError('not-found', 404, `${what} not found`)
export const methodNotAllowed = (method: string, possible: string[]) =>
  new AppError('method-not-allowed', 405, `This URL accepts ${possible.join(', ')}, not ${method}.`)
export const conflict = (message: string, details?: Details) => new AppError('conflict', 409, message, details)
export const tooLarge = (message: string, details?: Details) => new AppError('too-large', 413, message, details)
export const unsupportedType = (message: string) => new AppError('unsupported-type', 415, message)
export const tooManyAttempts = (message: string, retryAfterSeconds: number) =>
  new AppError('too-many-attempts', 429, message, { retryAfterSeconds })
/** A service that no setting has configured; the message names the setting that would. */
export const notConfigured = (message: string) => new AppError('not-configured', 503, message)
/** A passing state (a restore under way, a database that is away) after which the same request will work. */
export const unavailable = (message: string, retryAfterSeconds = 5) =>
  new AppError('unavailable', 503, message, { retryAfterSeconds })
/** What is cut off when the process ends. */
export const stopping = () => new AppError('closing', 503, 'The server is stopping. Please try again when it is back.')
export const storageFull = (message = 'The disk is full. Free some space and try again.') =>
  new AppError('storage-full', 507, message)
