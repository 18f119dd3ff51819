import { AppError, notFound } from '#platform/errors.ts'

export type ItemError = { id: number; message: string }
/** The result of changing many items. */
export type Outcome = { changed: number[]; errors: ItemError[] }

/** The same message as for a single item. */
const notFoundMessage = notFound('Media').message

export const missingMedia = (id: number): ItemError => ({ id, message: notFoundMessage })

/**
 * If no item exists for this user, throws the same error as for a single item. A run that was stopped before its first item
 * has neither changes nor errors and does not throw.
 */
export function throwIfNoneExists({ changed, errors }: Outcome) {
  if (errors.length === 0 || changed.length > 0 || errors.some(({ message }) => message !== notFoundMessage)) return
  const summary = { successful: 0, failed: errors.length }
  throw new AppError('not-found', 404, notFoundMessage, { summary, errors })
}
