import type { QueryClient } from '@tanstack/react-query'
import { authQueries, changeUser, forgetWithUser, isSignedOut, signOutChannel } from '#features/auth/client/queries.ts'
import { toastError } from '#ui/notices/toast.ts'
import { hasUnsavedChanges } from '#ui/unsaved-changes.ts'

/**
 * A session can end on the server at any time; the first call that learns of it shows the sign-in page. Unsaved changes keep
 * the user on the page, so that they can sign in from another tab and then save.
 */
export function handleSignedOut(queryClient: QueryClient) {
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
    // The mutation's own notice does not mention the sign-out; refetching the user shows the one that does.
    isTold = false
    void queryClient.invalidateQueries(authQueries.user())
  }
  // Signing out in one tab signs out all of them.
  new BroadcastChannel(signOutChannel).onmessage = () => changeUser(queryClient, null)
}
