import { useEffect, useSyncExternalStore } from 'react'
import { createListeners } from '#ui/listeners.ts'

type Wish = { search: string; from: HTMLElement }

let wished: Wish | undefined
const listeners = createListeners()

/** Moves the focus from the search field to the first result as soon as it is there, unless the user moves it first. */
export function goToFirstResult(search: string, from: HTMLElement) {
  wished = { search, from }
  listeners.notify()
}

/** `shownSearch` is the search whose results are on the page, undefined while they load. */
export function useFirstResult(shownSearch: string | undefined) {
  const wish = useSyncExternalStore(listeners.subscribe, () => wished)
  useEffect(() => {
    if (wish?.search !== shownSearch) return
    wished = undefined
    if (document.activeElement === wish?.from) document.querySelector<HTMLElement>('[data-media-id] button')?.focus()
  })
}
