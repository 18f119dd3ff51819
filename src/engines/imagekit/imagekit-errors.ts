import { AppError, withCause } from '#platform/errors.ts'

/** The code of faults that concern ImageKit itself, and so every file alike. */
const awayCode = 'imagekit-away'

export const isAway = (error: unknown) => error instanceof AppError && error.code === awayCode

/** A sentence for whatever kept ImageKit from doing what was asked. */
export function asAway(error: unknown) {
  if (error instanceof AppError) return error
  return away(sentenceFor(statusOf(error)), error)
}

/** What ImageKit answered, if it did. Told by its shape: whoever only tells faults apart need not load the whole library. */
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
