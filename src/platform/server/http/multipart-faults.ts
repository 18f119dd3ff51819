import { AppError, invalid, tooLarge } from '#platform/errors.ts'

/** What a call says where no file came, and where there were more than it takes. */
type Words = { none: () => AppError; tooMany: string }

/** What the multipart reader says in words of its own, said to a person; everything else stays what it is. */
export function explainMultipartFault(error: unknown, { none, tooMany }: Words) {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const { code, message, statusCode } = error as Error & { code?: string; statusCode?: number }
  if (code === 'FST_INVALID_MULTIPART_CONTENT_TYPE') return none()
  if (code === 'FST_FILES_LIMIT' || code === 'FST_PARTS_LIMIT') return tooLarge(tooMany)
  if (code === 'FST_MP_PREMATURE_CLOSE' || /multipart data/i.test(message))
    return invalid('The upload broke off before everything had arrived. Please try again.')
  const isOwnFault = code?.startsWith('FST_') && statusCode !== undefined && statusCode < 500
  // The last is a boundary that is longer than any may be.
  return isOwnFault || /^Multipart:|needle/.test(message) ? invalid('The upload could not be understood.') : error
}
