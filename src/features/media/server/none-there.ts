import { AppError } from '#platform/errors.ts'

type Outcome = { changed: readonly number[]; errors: { id: number; message: string }[] }

export const missingMedia = (id: number) => ({ id, message: 'Media not found' })

/**
 * When not one of the items is there for this person, it is as if they had asked for one that is not. What was stopped before
 * its first item has no outcome at all, and is none of this.
 */
export function refuseWhenNoneIsThere({ changed, errors }: Outcome) {
  if (errors.length === 0 || changed.length > 0 || errors.some(({ message }) => message !== 'Media not found')) return
  const summary = { successful: 0, failed: errors.length }
  throw new AppError('not-found', 404, 'Media not found', { summary, errors })
}
