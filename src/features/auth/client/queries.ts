import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { ApiError, call } from '#platform/client/call.ts'
import { hasUnsavedChanges } from '#ui/unsaved-changes.ts'
import type { authApi, User } from '../contract.ts'

/** Where tabs tell each other that somebody has logged out. */
export const signOutChannel = 'albumen-sign-out'

export const authQueries = {
  user: () =>
    queryOptions({
      queryKey: ['user'] as const,
      queryFn: ({ signal }) =>
        call<typeof authApi.currentUser>('GET /api/user', undefined, { signal }).catch(nobodyWhenSignedOut),
      // Without an answer no screen can be chosen; a later failure keeps the last answer.
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

/** Whoever has written something that is not saved stays who they are here: see `handleSignedOut`. */
function nobodyWhenSignedOut(error: unknown): null {
  if (isSignedOut(error) && !hasUnsavedChanges()) return null
  throw error
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401
}

/** For what takes long: whoever asked may have left when it is answered, and somebody else may sit at the page. */
export const userIn = (queryClient: QueryClient) => queryClient.getQueryData(authQueries.user().queryKey)?.id

/** Who is signed in: null for nobody, undefined while that is not known yet. */
export function useUser(): User | null | undefined {
  return useQuery(authQueries.user()).data
}

/** Another person, or nobody. */
export function changeUser(queryClient: QueryClient, user: User | null) {
  // An answer that is still on its way was asked for in the name of the last one.
  void queryClient.cancelQueries({ queryKey: authQueries.user().queryKey })
  queryClient.setQueryData(authQueries.user().queryKey, user)
}

/** What was fetched for one person goes with them, however the page learns of it: `changeUser`, or the server's answer. */
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
