import { ApiError } from '#platform/client/call.ts'

/** Whether the request failed because the collection already has the item. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof ApiError && (error.body as { isDuplicate?: boolean } | null)?.isDuplicate === true
}
