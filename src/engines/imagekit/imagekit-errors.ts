import { AppError, withCause } from '#platform/errors.ts'

/** The code of errors that concern ImageKit as a whole, not a single file. */
const awayCode = 'imagekit-away'

export const isAway = (error: unknown) => error instanceof AppError && error.code === awayCode

/** Translates an error of the ImageKit client into a message for the user. */
export function asAway(error: unknown) {
  if (error instanceof AppError) return error
  return away(sentenceFor(statusOf(error)), error)
}

/** The HTTP status of an error, if there was a response. It is read by shape, so that callers need not load the library. */
export function statusOf(error: unknown): number | undefined {
  const { status } = Object(error) as { status?: unknown }
  return typeof status === 'number' ? status : undefined
}

export const refusedWith = (status: number) => away(sentenceFor(status))

export const notUnderstood = () => away('ImageKit returned an unexpected response.')

function sentenceFor(status: number | undefined) {
  if (status === 401 || status === 403) return 'ImageKit rejected the key. Please check IMAGEKIT_PRIVATE_KEY.'
  if (status === undefined) return 'ImageKit is not responding. Please try again later.'
  return `ImageKit returned an error (${status}). Please try again later.`
}

const away = (sentence: string, cause?: unknown) => withCause(new AppError(awayCode, 502, sentence), cause)
