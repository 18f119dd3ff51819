import type { QueryClient } from '@tanstack/react-query'
import { changeUser, isSignedOut } from '#features/auth/client/queries.ts'

/** A session can end on the server at any time; the first call that learns of it leads back to the login screen. */
export function noticeSignedOut(queryClient: QueryClient) {
  const notice = (error: Error) => {
    if (isSignedOut(error)) changeUser(queryClient, null)
  }
  queryClient.getQueryCache().config.onError = notice
  queryClient.getMutationCache().config.onError = notice
}
