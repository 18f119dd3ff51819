import { useLayoutEffect } from 'react'

/** While a dialog is open the page reserves room for a hidden scrollbar, which a full-screen viewer should cover. */
export function useEdgeToEdge() {
  useLayoutEffect(() => {
    const { style } = document.documentElement
    style.scrollbarGutter = 'auto'
    return () => {
      style.scrollbarGutter = ''
    }
  }, [])
}
