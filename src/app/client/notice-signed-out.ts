import type { QueryClient } from '@tanstack/react-query'
import { authQueries, changeUser, isSignedOut, signOutChannel } from '#features/auth/client/queries.ts'

/** A session can end on the server at any time; the first call that learns of it leads back to the login screen. */
export function noticeSignedOut(queryClient: QueryClient) {
  const notice = (error: Error) => {
    if (isSignedOut(error)) changeUser(queryClient, null)
  }
  queryClient.getQueryCache().config.onError = notice
  queryClient.getMutationCache().config.onError = notice
  // Who logs out in one tab has left all: the others ask who is there now.
  new BroadcastChannel(signOutChannel).onmessage = () =>
    queryClient.invalidateQueries({ queryKey: authQueries.user().queryKey })
}
