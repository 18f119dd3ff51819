import { useUser } from '#features/auth/client/queries.ts'
import { classNames } from '#ui/class-names.ts'
import { Skeleton } from '#ui/skeleton.tsx'

/** Reserves the height of the card while it loads, so that the items below do not move. */
export function FirstStepsSpace() {
  return <Skeleton className={classNames('rounded-md', useCardHeight())} />
}

/** On a phone the link and the button each take a line. */
export function useCardHeight() {
  const hasSetupList = useHasSetupList()
  const hasSamples = useUser()?.preferences.hasSamples === true
  const onPhone = hasSamples ? (hasSetupList ? 'min-h-58' : 'min-h-52') : hasSetupList ? 'min-h-48' : 'min-h-42'
  return `sm:min-h-26 ${onPhone}`
}

/** Whether the user is an administrator who has not hidden the setup list. */
export function useHasSetupList() {
  const user = useUser()
  return user?.isAdmin === true && user.preferences.setupList !== 'hidden'
}
