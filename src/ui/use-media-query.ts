import { useCallback, useSyncExternalStore } from 'react'

/** Whether a media query such as "(min-width: 48rem)" matches; updates when that changes. */
export function useMediaQuery(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = window.matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches)
}

/** Whether a table of seven columns does not fit: on phones and tablets, and next to the expanded sidebar. */
export const useIsTableNarrow = () => useMediaQuery('(width < 60rem) or (64rem < width < 72rem)')
