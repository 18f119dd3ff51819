import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { ApiError, call } from '#platform/client/call.ts'
import { hasUnsavedChanges } from '#ui/unsaved-changes.ts'
import type { authApi, User } from '../contract.ts'

/** The channel on which tabs announce that the user has signed out. */
export const signOutChannel = 'albumen-sign-out'

export const authQueries = {
  user: () =>
    queryOptions({
      queryKey: ['user'] as const,
      queryFn: ({ signal }) =>
        call<typeof authApi.currentUser>('GET /api/user', undefined, { signal }).catch(nullWhenSignedOut),
      // Without a first response no screen can be chosen; after a later failure the last one is kept.
      throwOnError: (_error, query) => query.state.data === undefined,
    }),
  registration: () =>
    queryOptions({
      queryKey: ['registration'] as const,
      queryFn: ({ signal }) => call<typeof authApi.registration>('GET /api/registration', undefined, { signal }),
    }),
  storage: () =>
    queryOptions({
      queryKey: ['storage'] as const,
      queryFn: ({ signal }) => call<typeof authApi.storage>('GET /api/user/storage', undefined, { signal }),
    }),
}

/** A user with unsaved changes stays signed in on this page, see `handleSignedOut`. */
function nullWhenSignedOut(error: unknown): null {
  if (isSignedOut(error) && !hasUnsavedChanges()) return null
  throw error
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401
}

/** For long operations: by the time they end, the user may have signed out or another one signed in. */
export const userIn = (queryClient: QueryClient) => queryClient.getQueryData(authQueries.user().queryKey)?.id

/** The signed-in user; null when signed out, undefined while unknown. */
export function useUser(): User | null | undefined {
  return useQuery(authQueries.user()).data
}

/** Sets another user, or null after signing out. */
export function changeUser(queryClient: QueryClient, user: User | null) {
  // A pending response is the previous user's.
  void queryClient.cancelQueries({ queryKey: authQueries.user().queryKey })
  queryClient.setQueryData(authQueries.user().queryKey, user)
}

/** Clears cached data whenever the user changes, through `changeUser` or a response of the server. */
export function forgetWithUser(queryClient: QueryClient) {
  let lastId: number | null | undefined
  const isOfUser = ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] === 'user'
  queryClient.getQueryCache().subscribe(({ query }) => {
    const user = queryClient.getQueryData(authQueries.user().queryKey)
    if (!isOfUser(query) || user === undefined) return
    const isAnother = lastId !== undefined && lastId !== (user?.id ?? null)
    lastId = user?.id ?? null
    if (isAnother) queryClient.removeQueries({ predicate: (other) => !isOfUser(other) })
  })
}
