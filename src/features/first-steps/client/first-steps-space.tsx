import { Skeleton } from '#ui/skeleton.tsx'

/** Reserves the height of the card while it loads, so that the items below do not move. */
export function FirstStepsSpace() {
  return <Skeleton className="h-46 rounded-md sm:h-26" />
}
