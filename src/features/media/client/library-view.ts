import { useLocation, useSearch } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { pageSizes, type Sort, sorts } from '../limits.ts'

export const libraryFilters = ['all', 'images', 'videos', 'favorites', 'trash'] as const
export type LibraryFilter = (typeof libraryFilters)[number]
export type PageSize = (typeof pageSizes)[number]

/** What the library shows. It lives in the query string of "/", so that a reload, a link and the back button keep it. */
export type LibraryView = {
  filter: LibraryFilter
  collectionId?: number
  search: string
  /** Absent: newest first, or best matches first while searching. */
  sort?: Sort
  page: number
  pageSize: PageSize
  layout: 'grid' | 'list'
  tab: 'media' | 'collections'
  /** The item that is open in the viewer. */
  itemId?: number
}

export const defaultView: LibraryView = {
  filter: 'all',
  search: '',
  page: 1,
  pageSize: 50,
  layout: 'grid',
  tab: 'media',
}

/** Reads a query string; whatever makes no sense counts as absent. */
export function parseLibraryView(search: string): LibraryView {
  const given = new URLSearchParams(search)
  return {
    filter: oneOf(libraryFilters, given.get('filter')) ?? defaultView.filter,
    collectionId: wholeNumber(given.get('collection')),
    search: given.get('search') ?? '',
    sort: oneOf(sorts, given.get('sort')),
    page: wholeNumber(given.get('page')) ?? defaultView.page,
    pageSize: pageSizes.find((size) => String(size) === given.get('pageSize')) ?? defaultView.pageSize,
    layout: oneOf(['grid', 'list'], given.get('layout')) ?? defaultView.layout,
    tab: oneOf(['media', 'collections'], given.get('tab')) ?? defaultView.tab,
    itemId: wholeNumber(given.get('item')),
  }
}

/** The query string of a view, without its question mark; defaults are left out, so the plain library is just "/". */
export function formatLibraryView(view: LibraryView): string {
  const { collectionId, itemId, ...rest } = view
  const named = { ...rest, collection: collectionId, item: itemId }
  const given = Object.entries(named).flatMap(([name, value]) =>
    value === undefined || value === '' || value === defaultView[name as keyof LibraryView]
      ? []
      : [[name, String(value)]],
  )
  return new URLSearchParams(given).toString()
}

/** The address of the library in this view. */
export function libraryAddress(view: LibraryView): string {
  const search = formatLibraryView(view)
  return search ? `/?${search}` : '/'
}

/** The filter or the collection: what is selected, or seen of the list before, does not go along to another one. */
export const placeOf = ({ filter, collectionId }: LibraryView) => `${filter} ${collectionId}`

const whatMakesAnotherList = ['filter', 'collectionId', 'search', 'sort', 'pageSize'] as const

const whatBeginsAtTop = [...whatMakesAnotherList, 'page', 'tab'] as const

/** The view after a change: another list of items begins at its first page. */
export function changeLibraryView(view: LibraryView, change: Partial<LibraryView>): LibraryView {
  const next = { ...view, ...change }
  const isAnotherList = whatMakesAnotherList.some((key) => next[key] !== view[key])
  return isAnotherList && change.page === undefined ? { ...next, page: 1 } : next
}

/** Only a collection has an order of its own, and what a search finds in it has not. */
export const hasOwnOrder = ({ collectionId, search }: LibraryView) => collectionId !== undefined && !search

/** The order that is shown; undefined for a search with its best matches first. */
export function shownSort(view: LibraryView): Sort | undefined {
  const { sort } = view
  if (sort && (sort !== 'manual' || hasOwnOrder(view))) return sort
  return view.search ? undefined : 'recent'
}

/** What is the order anyway is not wished for: a search may begin with its best matches. */
export const sortBy = ({ search }: LibraryView, sort: Sort | undefined): Partial<LibraryView> => ({
  sort: sort === 'recent' && !search ? undefined : sort,
})

/** A place in the sidebar: a filter or a collection, from its beginning; search, order and layout stay. */
export function openPlace(place: { filter: LibraryFilter } | { collectionId: number }): Partial<LibraryView> {
  const elsewhere = { filter: 'all' as const, collectionId: undefined, itemId: undefined }
  return { ...elsewhere, page: 1, tab: 'media', ...place }
}

/** All that is in a collection, for whoever comes to it from elsewhere than from a list. */
export const openWhole = (collectionId: number) => ({ ...openPlace({ collectionId }), search: '' })

export type SetLibraryView = (change: Partial<LibraryView>, options?: { replace?: boolean }) => void

/** The library's view and the way to change it; from another screen, changing it leads to the library. */
export function useLibraryView(): [LibraryView, SetLibraryView] {
  const [path] = useLocation()
  const search = useSearch()
  return [parseLibraryView(path === '/' ? search : ''), setLibraryView]
}

/** What the address says at this moment; elsewhere than in the library, the plain one. */
export function presentView(): LibraryView {
  const { pathname, search } = window.location
  return parseLibraryView(pathname === '/' ? search : '')
}

/** Reads the address anew instead of a rendered view: two changes in one moment must not undo each other. */
function setLibraryView(change: Partial<LibraryView>, { replace = false }: { replace?: boolean } = {}) {
  const { pathname, search } = window.location
  const before = presentView()
  const view = changeLibraryView(before, change)
  const address = libraryAddress(view)
  if (address === pathname + search) return
  navigate(address, { replace, state: replace ? history.state : { openedOn: view.itemId && view.page } })
  // Another list, page or tab begins at its top; on the way back the browser knows better.
  if (whatBeginsAtTop.some((key) => view[key] !== before[key])) window.scrollTo(0, 0)
}

/**
 * Goes back to where the item was opened, if that is known: afterwards Back does not open it again. Who has gone on to
 * another page stays there, with the item that was seen last.
 */
export function closeItem() {
  const { page } = parseLibraryView(window.location.search)
  if (history.state?.openedOn !== page) return setLibraryView({ itemId: undefined }, { replace: true })
  // A second press, before the browser has gone back, must not lead further.
  history.replaceState(null, '')
  history.back()
}

function oneOf<const Value extends string>(values: readonly Value[], given: string | null): Value | undefined {
  return values.find((value) => value === given)
}

function wholeNumber(given: string | null): number | undefined {
  const value = Number(given ?? '')
  return Number.isSafeInteger(value) && value >= 1 ? value : undefined
}
