/** An error with a message for users, a code for programs and an HTTP status. */
export class AppError extends Error {
  readonly code: string
  readonly status: number
  /** Further fields of the response, e.g. `isDuplicate` or `field`. */
  readonly details: Record<string, unknown>

  constructor(code: string, status: number, message: string, details: Record<string, unknown> = {}) {
    super(message)
    this.name = 'AppError'
    this.code = code
    this.status = status
    this.details = details
  }
}

/** Adds the underlying error, which appears only in the log. */
export function withCause(error: AppError, cause: unknown): AppError {
  error.cause = cause
  return error
}

type Details = Record<string, unknown>

export const invalid = (message: string, details?: Details) => new AppError('invalid', 400, message, details)
export const unauthenticated = () => new AppError('unauthenticated', 401, 'Please sign in first.')
export const forbidden = (message = 'Only administrators can do this.') => new AppError('forbidden', 403, message)
export const notFound = (what: string) => new AppError('not-found', 404, `${what} not found`)
export const methodNotAllowed = (method: string, possible: string[]) =>
  new AppError('method-not-allowed', 405, `This URL accepts ${possible.join(', ')}, not ${method}.`)
export const conflict = (message: string, details?: Details) => new AppError('conflict', 409, message, details)
export const tooLarge = (message: string, details?: Details) => new AppError('too-large', 413, message, details)
export const unsupportedType = (message: string) => new AppError('unsupported-type', 415, message)
export const tooManyAttempts = (message: string, retryAfterSeconds: number) =>
  new AppError('too-many-attempts', 429, message, { retryAfterSeconds })
/** For a service that is not configured; the message names the missing setting. */
export const notConfigured = (message: string) => new AppError('not-configured', 503, message)
/** For a temporary state, such as a running restore or an unreachable database, after which the same request works. */
export const unavailable = (message: string, retryAfterSeconds = 5) =>
  new AppError('unavailable', 503, message, { retryAfterSeconds })
/** For requests and tasks that the end of the process interrupts. */
export const stopping = () => new AppError('closing', 503, 'The server is stopping. Please try again when it is back.')
export const storageFull = (message = 'The disk is full. Free some space and try again.') =>
  new AppError('storage-full', 507, message)
