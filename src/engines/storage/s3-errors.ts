import { AppError, storageFull, unavailable, withCause } from '#platform/errors.ts'
import { ConfigError } from '#platform/server/config.ts'
import { isNetworkError } from '#platform/server/system-errors.ts'

/** Names and codes that services and the SDK use for a full bucket. */
const fullNames = new Set([
  'QuotaExceeded',
  'InsufficientCapacity',
  'XMinioStorageFull',
  'XMinioAdminBucketQuotaExceeded',
])
const transientNames = new Set(['TimeoutError', 'SlowDown', 'ServiceUnavailable', 'InternalError', 'RequestTimeout'])

export function isMissing(error: unknown) {
  if (nameOf(error) === 'NoSuchBucket') return false
  return nameOf(error) === 'NoSuchKey' || nameOf(error) === 'NotFound' || statusOf(error) === 404
}

export function isInvalidRange(error: unknown) {
  return nameOf(error) === 'InvalidRange' || statusOf(error) === 416
}

export function isNotImplemented(error: unknown) {
  return nameOf(error) === 'NotImplemented' || statusOf(error) === 501
}

/** Translates a full bucket and an unreachable service into errors with a message for the user; others are logged unchanged. */
export function explainS3Error(error: unknown) {
  if (error instanceof AppError) return error
  const explained = explanationOf(error)
  return explained ? withCause(explained, error) : error
}

function explanationOf(error: unknown) {
  const status = statusOf(error) ?? 0
  if (status === 507 || fullNames.has(nameOf(error))) return storageFull('The storage service has no space left.')
  if (!isNetworkError(error) && status < 500 && !transientNames.has(nameOf(error))) return null
  return unavailable('The storage service cannot be reached. Try again in a moment.')
}

/** For the start of the server, which a wrong setting ends with one line. */
export function unusableBucket(error: unknown, bucket: string) {
  const cause = error instanceof AppError ? error.cause : error
  const advice = isUnknownHostOf(bucket, cause) ? ': S3_FORCE_PATH_STYLE=1 asks without it' : ''
  return new ConfigError(`S3_BUCKET names a bucket that cannot be used (${reasonOf(cause)})${advice}`)
}

/** At Amazon each bucket is a host; at many other services none is. */
function isUnknownHostOf(bucket: string, error: unknown) {
  const { code, hostname } = error as { code?: string; hostname?: string }
  return code === 'ENOTFOUND' && hostname?.startsWith(`${bucket}.`)
}

/** The response to HEAD has a status but no message. */
const reasons: Record<number, string> = {
  301: 'it is in another region than S3_REGION says',
  401: 'the keys are refused',
  403: 'the keys are refused',
  404: 'no bucket has this name',
}

/** The SDK appends several lines that tell programmers where to find the response. */
const unread = 'Deserialization error'

function reasonOf(error: unknown): string {
  // A host with several addresses fails once per address.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  if (error instanceof Error && error.message.includes(unread)) {
    return 'S3_ENDPOINT is not an S3 service, but perhaps its web page'
  }
  return reasons[statusOf(error) ?? 0] ?? (error instanceof Error ? error.message : String(error)).trim()
}

function nameOf(error: unknown) {
  return error instanceof Error ? error.name : ''
}

/** Errors of the SDK carry the HTTP response in `$metadata`. */
function statusOf(error: unknown) {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined
  return (error.$metadata as { httpStatusCode?: number }).httpStatusCode
}
