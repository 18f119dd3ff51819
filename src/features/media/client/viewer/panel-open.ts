import { useState } from 'react'
import { useMediaQuery } from '#ui/use-media-query.ts'

/** Kept until the page is reloaded. On small screens the panel is closed at first. */
const isOpenOn = { small: false, large: true }

/** Whether the info panel is open, and functions to change that. */
export function usePanel() {
  const screen = useMediaQuery('(width < 64rem)') ? 'small' : 'large'
  const [, setChanges] = useState(0)
  const change = (isOpen: boolean) => {
    isOpenOn[screen] = isOpen
    setChanges((count) => count + 1)
  }
  const isOpen = isOpenOn[screen]
  return { isOpen, open: () => change(true), toggle: () => change(!isOpen) }
}
