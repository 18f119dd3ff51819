import { AppError, notFound } from '#platform/errors.ts'

export type ItemError = { id: number; message: string }
/** What came of a change to many items. */
export type Outcome = { changed: number[]; errors: ItemError[] }

/** In a list as when it is asked for alone. */
const notThere = notFound('Media').message

export const missingMedia = (id: number): ItemError => ({ id, message: notThere })

/**
 * When not one of the items is there for this person, it is as if they had asked for one that is not. What was stopped before
 * its first item has no outcome at all, and is none of this.
 */
export function throwIfNoneExists({ changed, errors }: Outcome) {
  if (errors.length === 0 || changed.length > 0 || errors.some(({ message }) => message !== notThere)) return
  const summary = { successful: 0, failed: errors.length }
  throw new AppError('not-found', 404, notThere, { summary, errors })
}
