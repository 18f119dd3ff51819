import type { QueryClient } from '@tanstack/react-query'
import { authQueries, changeUser, forgetWithUser, isSignedOut, signOutChannel } from '#features/auth/client/queries.ts'
import { toastError } from '#ui/notices/toast.ts'
import { hasUnsavedChanges } from '#ui/unsaved-changes.ts'

/**
 * A session can end on the server at any time; the first call that learns of it leads back to the login screen. Not away
 * from what is not saved: that can be saved once somebody has signed in in another tab.
 */
export function noticeSignedOut(queryClient: QueryClient) {
  forgetWithUser(queryClient)
  let isTold = false
  const notice = (error: Error) => {
    if (!isSignedOut(error)) return
    if (!hasUnsavedChanges()) return changeUser(queryClient, null)
    if (isTold) return
    isTold = true
    toastError("You've been signed out", 'Sign in from another tab, then save your changes here.')
  }
  const queries = queryClient.getQueryCache().config
  queries.onError = notice
  queries.onSuccess = () => {
    isTold = false
  }
  queryClient.getMutationCache().config.onError = (error) => {
    if (!isSignedOut(error) || !hasUnsavedChanges()) return notice(error)
    // A change that failed has a notice of its own, which says less: asking who is there leads to the other one, once more.
    isTold = false
    void queryClient.invalidateQueries(authQueries.user())
  }
  // Who logs out in one tab has left all.
  new BroadcastChannel(signOutChannel).onmessage = () => changeUser(queryClient, null)
}
