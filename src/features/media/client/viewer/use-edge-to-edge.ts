import { useLayoutEffect } from 'react'

/** The page keeps room for a scrollbar that it does not show while a dialog is open; what fills the screen wants it back. */
export function useEdgeToEdge() {
  useLayoutEffect(() => {
    const { style } = document.documentElement
    style.scrollbarGutter = 'auto'
    return () => {
      style.scrollbarGutter = ''
    }
  }, [])
}
