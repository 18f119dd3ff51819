import type { QueryClient } from '@tanstack/react-query'
import { changeUser, forgetWithUser, isSignedOut, signOutChannel } from '#features/auth/client/queries.ts'

/** A session can end on the server at any time; the first call that learns of it leads back to the login screen. */
export function noticeSignedOut(queryClient: QueryClient) {
  forgetWithUser(queryClient)
  const notice = (error: Error) => {
    if (isSignedOut(error)) changeUser(queryClient, null)
  }
  queryClient.getQueryCache().config.onError = notice
  queryClient.getMutationCache().config.onError = notice
  // Who logs out in one tab has left all.
  new BroadcastChannel(signOutChannel).onmessage = () => changeUser(queryClient, null)
}
