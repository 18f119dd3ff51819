import { type InvalidateQueryFilters, notifyManager, QueryClient, type QueryKey } from '@tanstack/react-query'

// A page learns of a call before the next press: by a timer, as is usual, the second press of two comes before it, and
// finds a button that is not pending yet. Then two collections are made, or two copies.
notifyManager.setScheduler(queueMicrotask)

/**
 * A library at home is reached also when the browser holds itself for offline; and what cannot be reached says so at once,
 * instead of waiting without a word.
 */
const networkMode = 'always'

class TruthfulQueryClient extends QueryClient {
  /**
   * A first answer that is on its way may be older than the change that is told of. The library waits for it, and then holds
   * it for new; so it is asked for once more.
   */
  override async invalidateQueries<Key extends QueryKey>(filters?: InvalidateQueryFilters<Key>) {
    const mayBeOld = this.getQueryCache()
      .findAll({ ...filters, fetchStatus: 'fetching' })
      .filter(({ state }) => state.data === undefined)
    await super.invalidateQueries(filters)
    await Promise.all(mayBeOld.map(({ queryKey }) => super.invalidateQueries({ queryKey, exact: true })))
  }
}

/**
 * Fresh for a second, kept for five minutes, fetched again on focus, on mount and when the connection is back, which
 * `networkMode` would otherwise turn off; queries retry once, mutations never.
 */
export const queryClient: QueryClient = new TruthfulQueryClient({
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
