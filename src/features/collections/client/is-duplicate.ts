import { ApiError } from '#platform/client/call.ts'

/** The collection has the item already. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof ApiError && (error.body as { isDuplicate?: boolean } | null)?.isDuplicate === true
}
