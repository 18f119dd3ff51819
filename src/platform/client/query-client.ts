import { QueryClient } from '@tanstack/react-query'

/**
 * A library at home is reached also when the browser holds itself for offline; and what cannot be reached says so at once,
 * instead of waiting without a word.
 */
const networkMode = 'always'

/**
 * Fresh for a second, kept for five minutes, fetched again on focus, on mount and when the connection is back, which
 * `networkMode` would otherwise turn off; queries retry once, mutations never.
 */
export const queryClient = new QueryClient({
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
