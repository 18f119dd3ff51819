import { useMediaQuery } from './use-media-query.ts'

/** Whether seven columns have no room: on phones and tablets, and where the sidebar has just unfolded. */
export const useIsTableNarrow = () => useMediaQuery('(width < 60rem) or (64rem < width < 72rem)')
