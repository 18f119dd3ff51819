import { useState } from 'react'
import { savePreferences } from '#features/auth/client/preferences.ts'
import { useUser } from '#features/auth/client/queries.ts'
import { useMediaQuery } from '#ui/use-media-query.ts'

/** On small screens the panel is closed at first, and kept as it is until the page is reloaded. */
let isOpenOnSmall = false

/** Whether the info panel is open, and functions to change that. */
export function usePanel() {
  const isSmall = useMediaQuery('(width < 64rem)')
  const isPreferred = useUser()?.preferences.isPanelOpen !== false
  const [, setChanges] = useState(0)
  const change = (isOpen: boolean) => {
    if (isSmall) isOpenOnSmall = isOpen
    else savePreferences({ isPanelOpen: isOpen })
    setChanges((count) => count + 1)
  }
  const isOpen = isSmall ? isOpenOnSmall : isPreferred
  return { isOpen, open: () => change(true), toggle: () => change(!isOpen) }
}
