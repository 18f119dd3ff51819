import { useLocation, useSearch } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { changeLibraryView, isNewPage, type LibraryView, libraryAddress, parseLibraryView } from '../library-view.ts'

export type SetLibraryView = (change: Partial<LibraryView>, options?: { replace?: boolean }) => void

/** The library's view and its setter. On another screen, setting the view opens the library. */
export function useLibraryView(): [LibraryView, SetLibraryView] {
  const [path] = useLocation()
  const search = useSearch()
  return [parseLibraryView(path === '/' ? search : ''), setLibraryView]
}

/** The view in the current URL; on other screens, the default view. */
export function presentView(): LibraryView {
  const { pathname, search } = window.location
  return parseLibraryView(pathname === '/' ? search : '')
}

/** Reads the current URL instead of a rendered view, so that two changes in one event do not undo each other. */
function setLibraryView(change: Partial<LibraryView>, { replace = false }: { replace?: boolean } = {}) {
  const { pathname, search } = window.location
  const before = presentView()
  const view = changeLibraryView(before, change)
  const address = libraryAddress(view)
  if (address === pathname + search) return
  navigate(address, { replace, state: replace ? history.state : { openedOn: view.itemId && view.page } })
  // On the way back, the browser restores the scroll position itself.
  if (isNewPage(before, view)) window.scrollTo(0, 0)
}

/**
 * Goes back to where the item was opened, if that is known, so that Back does not open it again. If the user has moved to
 * another page since, that page stays.
 */
export function closeItem() {
  const { page } = parseLibraryView(window.location.search)
  if (history.state?.openedOn !== page) return setLibraryView({ itemId: undefined }, { replace: true })
  // A second press, before the browser has gone back, must not go back twice.
  history.replaceState(null, '')
  history.back()
}
