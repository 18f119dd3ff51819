import { call } from '#platform/client/call.ts'
import { queryClient } from '#platform/client/query-client.ts'
import type { authApi, Preferences } from '../contract.ts'
import { authQueries } from './queries.ts'

const none: Preferences = {}

const userKey = authQueries.user().queryKey

/** What the interface remembers for the user, on every device. */
export const presentPreferences = () => queryClient.getQueryData(userKey)?.preferences ?? none

/** Applies at once. If the server cannot store it, it applies until the page is reloaded. */
export function savePreferences(changes: Preferences) {
  const before = presentPreferences()
  if (Object.entries(changes).every(([name, value]) => before[name] === value)) return
  queryClient.setQueryData(userKey, (user) => user && { ...user, preferences: { ...user.preferences, ...changes } })
  call<typeof authApi.changePreferences>('PATCH /api/user/preferences', { body: changes }).catch(() => undefined)
}
