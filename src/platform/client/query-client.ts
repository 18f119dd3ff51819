import { QueryClient } from '@tanstack/react-query'

/** Fresh for a second, kept for five minutes, fetched again on focus and mount; queries retry once, mutations never. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 1000, gcTime: 5 * 60_000, refetchOnWindowFocus: true, refetchOnMount: true, retry: 1 },
    mutations: { retry: false },
  },
})
