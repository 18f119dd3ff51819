import { AppError, invalid, tooLarge, unsupportedType, withCause } from '#platform/errors.ts'

/**
 * [Note: One error for unreachable addresses]
 * A refused address, an unknown name, a closed port and a broken handshake give the user the same error, so that the server
 * cannot be used to scan its network; the `cause` is only logged. Timeouts, broken connections and certificates have
 * errors of their own, since they concern addresses that passed the guard.
 */
export function unreachable(cause: unknown): AppError {
  return withCause(
    new AppError('unreachable', 422, 'This URL could not be reached. Please check that it is correct and public.'),
    cause,
  )
}

/** The guard's refusal; users only see it as `unreachable`. */
export class BlockedAddress extends Error {
  readonly code = 'blocked-address'

  constructor(host: string, address: string) {
    super(`${host} leads to ${address}, which is not a public address`)
    this.name = 'BlockedAddress'
  }
}

/** Wraps an error of the destination, so that `toWebError` does not treat it as a network error. */
export class DestinationFault extends Error {
  constructor(cause: unknown) {
    super('The destination failed', { cause })
  }
}

export const invalidAddress = () => invalid('Please enter a valid HTTP or HTTPS URL')
export const timedOut = () => new AppError('timeout', 422, 'The site took too long to respond. Please try again later.')
export const badStatus = (status: number) =>
  new AppError('bad-status', 422, statusSentence(status), { answeredStatus: status })
export const tooManyRedirects = () =>
  new AppError('too-many-redirects', 422, 'Too many redirects. Please check the URL.')
export const tooMuch = (what: 'page' | 'file', maxBytes: number) =>
  tooLarge(`The ${what} is larger than ${Math.floor(maxBytes / 1024 / 1024)} MB.`)
export const notHtml = () => new AppError('not-html', 415, 'This URL leads to a file, not a webpage.')
export const notAFile = () => unsupportedType('This URL leads to a webpage, not an image or video.')

function statusSentence(status: number) {
  if (status === 404 || status === 410) return `Nothing was found at this URL (${status}).`
  if (status === 401 || status === 403) return `Access denied by the site (${status}).`
  if (status === 429) return `Too many requests to the site (${status}). Please try again later.`
  if (status >= 500) return `The site returned an error (${status}). Please try again later.`
  return `The site returned an unexpected status (${status}).`
}

const badCertificate = (cause: unknown) =>
  withCause(new AppError('bad-certificate', 422, "The site's security certificate is not valid."), cause)
const interrupted = (cause: unknown) =>
  withCause(new AppError('interrupted', 422, 'The connection was interrupted. Please try again.'), cause)
export const unreadableEncoding = (cause?: unknown) =>
  withCause(new AppError('bad-encoding', 422, 'The site uses an unsupported compression.'), cause)

/** Converts an error to one for the user; an unknown error becomes `unreachable`. */
export function toWebError(error: unknown): unknown {
  if (error instanceof DestinationFault) return error.cause
  if (error instanceof AppError || error instanceof TypeError) return error
  const code = codeOf(error)
  if (timeoutCodes.has(code)) return withCause(timedOut(), error)
  if (isCertificateCode(code)) return badCertificate(error)
  if (interruptionCodes.has(code)) return interrupted(error)
  if (/^(Z_|ERR__ERROR_|ERR_BROTLI|ZSTD_|ERR_ZSTD|ERR_ZLIB)/.test(code)) return unreadableEncoding(error)
  return unreachable(error)
}

const timeoutCodes = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
])
const interruptionCodes = new Set([
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
])
const certificateCodes = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'HOSTNAME_MISMATCH',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

const isCertificateCode = (code: string) => certificateCodes.has(code) || code.startsWith('CERT_')

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
