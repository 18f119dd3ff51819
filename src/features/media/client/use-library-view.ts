import { useLocation, useSearch } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { presentPreferences, savePreferences } from '#features/auth/client/preferences.ts'
import { useUser } from '#features/auth/client/queries.ts'
import {
  changeLibraryView,
  isNewPage,
  type LibraryView,
  libraryAddress,
  parseLibraryView,
  preferredView,
  rememberedIn,
} from '../library-view.ts'

export type SetLibraryView = (change: Partial<LibraryView>, options?: { replace?: boolean }) => void

/** The library's view and its setter. On another screen, setting the view opens the library. */
export function useLibraryView(): [LibraryView, SetLibraryView] {
  const [path] = useLocation()
  const search = useSearch()
  const preferences = useUser()?.preferences
  const preferred = preferences && preferredView(preferences)
  return [parseLibraryView(path === '/' ? search : '', preferred), setLibraryView]
}

/** The view in the current URL; on other screens, the default view. */
export function presentView(): LibraryView {
  const { pathname, search } = window.location
  return parseLibraryView(pathname === '/' ? search : '', presentPreferred())
}

const presentPreferred = () => preferredView(presentPreferences())

/** The URL of the library after a change of the view. */
export function addressAfter(view: LibraryView, change: Partial<LibraryView>) {
  const preferred = presentPreferred()
  return libraryAddress(changeLibraryView(view, change, preferred), preferred)
}

/** Reads the current URL instead of a rendered view, so that two changes in one event do not undo each other. */
export function setLibraryView(change: Partial<LibraryView>, { replace = false }: { replace?: boolean } = {}) {
  const { pathname, search } = window.location
  const before = presentView()
  const view = changeLibraryView(before, change, presentPreferred())
  savePreferences(rememberedIn(change, view))
  const address = libraryAddress(view, presentPreferred())
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
  const { page } = presentView()
  if (history.state?.openedOn !== page) return setLibraryView({ itemId: undefined }, { replace: true })
  // A second press, before the browser has gone back, must not go back twice.
  history.replaceState(null, '')
  history.back()
}
