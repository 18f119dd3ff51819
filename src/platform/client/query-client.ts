import { type InvalidateQueryFilters, notifyManager, QueryClient, type QueryKey } from '@tanstack/react-query'

// Notifies components without the usual timer: on a double click, the second click would otherwise come before the button
// is pending, and create a second collection or copy.
notifyManager.setScheduler(queueMicrotask)

/**
 * A server at home is reachable even when the browser reports that it is offline; and when it is not, requests fail at
 * once instead of waiting silently.
 */
const networkMode = 'always'

class FreshQueryClient extends QueryClient {
  /**
   * A first response that is in flight may be older than the change that invalidates it. TanStack Query would wait for it
   * and treat it as fresh, so it is fetched once more.
   */
  override async invalidateQueries<Key extends QueryKey>(filters?: InvalidateQueryFilters<Key>) {
    const maybeStale = this.getQueryCache()
      .findAll({ ...filters, fetchStatus: 'fetching' })
      .filter(({ state }) => state.data === undefined)
    await super.invalidateQueries(filters)
    await Promise.all(maybeStale.map(({ queryKey }) => super.invalidateQueries({ queryKey, exact: true })))
  }
}

/** Refetching on reconnect is set explicitly, since `networkMode: 'always'` would otherwise disable it. */
export const queryClient: QueryClient = new FreshQueryClient({
  defaultOptions: {
    queries: {
      staleTime: 1000,
      gcTime: 5 * 60_000,
      refetchOnWindowFocus: true,
      refetchOnMount: true,
      refetchOnReconnect: true,
      retry: 1,
      networkMode,
    },
    mutations: { retry: false, networkMode },
  },
})
