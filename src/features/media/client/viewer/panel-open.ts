import { useState } from 'react'
import { useMediaQuery } from '#ui/use-media-query.ts'

/** Remembered for this visit. On a phone the picture comes first. */
const isOpenOn = { phone: false, desk: true }

/** Whether the info panel is open, and the ways to change that. */
export function usePanel() {
  const place = useMediaQuery('(width < 48rem)') ? 'phone' : 'desk'
  const [, setChanges] = useState(0)
  const change = (isOpen: boolean) => {
    isOpenOn[place] = isOpen
    setChanges((count) => count + 1)
  }
  const isOpen = isOpenOn[place]
  return { isOpen, open: () => change(true), toggle: () => change(!isOpen) }
}
