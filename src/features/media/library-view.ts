import type { Preferences } from '#features/auth/contract.ts'
import { type Direction, directions, pageSizes, type Sort, sorts } from './limits.ts'

export const libraryFilters = ['all', 'images', 'videos', 'favorites', 'trash'] as const
export type LibraryFilter = (typeof libraryFilters)[number]
export type PageSize = (typeof pageSizes)[number]

/**
 * What the library shows. The query string of "/" holds it, so that a reload, a link and the Back button keep it. The server
 * reads it too, to preload the list with the page.
 */
export type LibraryView = {
  filter: LibraryFilter
  collectionId?: number
  search: string
  /** Shows the items that look like this one, and no other filter. */
  similarToId?: number
  /** The same for a picture outside the library; see `POST /api/media/example`. */
  example?: string
  /** Absent: newest first, or best matches first while searching. */
  sort?: Sort
  /** Absent: the direction in which the order is usually read; see `usualDirection`. */
  direction?: Direction
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

/** What a user prefers where the URL says nothing; see `LibraryView`. */
type Preferred = Pick<LibraryView, 'layout' | 'pageSize' | 'sort' | 'direction'>

/** Reads the user's preferences; invalid values count as absent. */
export function preferredView(preferences: Preferences): Preferred {
  const { layout, pageSize } = preferences
  // For example "size" or "size asc", since a direction belongs to its order.
  const [sort, direction = null] = String(preferences.sort).split(' ')
  const knownSort = sorts.find((known) => known === sort)
  return {
    layout: layout === 'list' ? 'list' : 'grid',
    pageSize: pageSizes.find((size) => size === pageSize) ?? defaultView.pageSize,
    // Newest first is stored as absent; only a collection has a manual order.
    sort: knownSort === 'recent' || knownSort === 'manual' ? undefined : knownSort,
    direction: knownSort === 'manual' ? undefined : oneOf(directions, direction),
  }
}

/** Reads a query string; invalid values count as absent. */
export function parseLibraryView(search: string, preferred: Preferred = defaultView): LibraryView {
  const given = new URLSearchParams(search)
  return {
    filter: oneOf(libraryFilters, given.get('filter')) ?? defaultView.filter,
    collectionId: wholeNumber(given.get('collection')),
    search: given.get('search') ?? '',
    similarToId: wholeNumber(given.get('similar')),
    example: given.get('example') ?? undefined,
    // A search shows its best matches first.
    sort: oneOf(sorts, given.get('sort')) ?? (given.get('search') ? undefined : preferred.sort),
    direction:
      oneOf(directions, given.get('direction')) ??
      (given.get('search') || oneOf(sorts, given.get('sort')) ? undefined : preferred.direction),
    page: wholeNumber(given.get('page')) ?? defaultView.page,
    pageSize: pageSizes.find((size) => String(size) === given.get('pageSize')) ?? preferred.pageSize,
    layout: oneOf(['grid', 'list'], given.get('layout')) ?? preferred.layout,
    tab: oneOf(['media', 'collections'], given.get('tab')) ?? defaultView.tab,
    itemId: wholeNumber(given.get('item')),
  }
}

/**
 * The query string of a view, without its question mark. Defaults are left out, so the default view is just "/", unless the
 * user prefers something else.
 */
export function formatLibraryView(view: LibraryView, preferred: Preferred = defaultView): string {
  const { collectionId, itemId, similarToId, ...rest } = view
  const isPreferring = preferred.sort !== undefined || preferred.direction !== undefined
  const isRecentWanted = view.sort === undefined && isPreferring && !view.search
  const sort = isRecentWanted ? 'recent' : view.sort
  const named = { ...rest, sort, collection: collectionId, similar: similarToId, item: itemId }
  const unpreferred = { ...defaultView, ...preferred, sort: undefined, direction: undefined }
  const given = Object.entries(named).flatMap(([name, value]) => {
    const key = name as keyof LibraryView
    const isDefault = value === defaultView[key] && value === unpreferred[key]
    return value === undefined || value === '' || isDefault ? [] : [[name, String(value)]]
  })
  return new URLSearchParams(given).toString()
}

export function libraryAddress(view: LibraryView, preferred?: Preferred): string {
  const search = formatLibraryView(view, preferred)
  return search ? `/?${search}` : '/'
}

/** Identifies the filter or collection. The selection and the previous page's items are dropped when it changes. */
export const placeOf = ({ filter, collectionId, similarToId, example }: LibraryView) =>
  [filter, collectionId, similarToId, example].join(' ')

/** Whether it shows what looks like a picture: one page in its own order. */
export const isOfSimilar = ({ similarToId, example }: Pick<LibraryView, 'similarToId' | 'example'>) =>
  similarToId !== undefined || example !== undefined

/** Opens the items that look like an item or an example. */
export const openSimilar = (to: { similarToId: number } | { example: string }) => ({
  ...openList({ filter: 'all' }),
  search: '',
  ...to,
})

const filterKeys = ['filter', 'collectionId', 'search'] as const
const similarKeys = ['similarToId', 'example'] as const
const listKeys = [...filterKeys, ...similarKeys, 'sort', 'direction', 'pageSize'] as const

/**
 * The view after a change. A different list starts at its first page. A search starts with its best matches and not in the
 * preferred order, which returns after it.
 */
export function changeLibraryView(
  view: LibraryView,
  change: Partial<LibraryView>,
  preferred: Preferred = defaultView,
): LibraryView {
  const next = { ...view, ...change }
  // Another filter or search leaves the similar items.
  if (filterKeys.some((key) => next[key] !== view[key]) && !isOfSimilar(change)) clearSimilar(next)
  const isOrdered = 'sort' in change || 'direction' in change
  if (next.sort !== view.sort && !('direction' in change)) next.direction = undefined
  if (Boolean(next.search) !== Boolean(view.search) && !isOrdered) {
    const usual = (search: string): Order => (search ? {} : preferred)
    if (isSameOrder(view, usual(view.search))) {
      const { sort, direction } = usual(next.search)
      Object.assign(next, { sort, direction })
    }
  }
  const isNewList = listKeys.some((key) => next[key] !== view[key])
  return isNewList && change.page === undefined ? { ...next, page: 1 } : next
}

type Order = Pick<LibraryView, 'sort' | 'direction'>

const isSameOrder = (one: Order, other: Order) => one.sort === other.sort && one.direction === other.direction

function clearSimilar(view: LibraryView) {
  for (const key of similarKeys) view[key] = undefined
}

/** Whether to scroll to the top: another list, page or tab is shown. */
export const isNewPage = (before: LibraryView, after: LibraryView) =>
  ([...listKeys, 'page', 'tab'] as const).some((key) => after[key] !== before[key])

/** Only a collection has a manual order, and search results in it do not. */
export const hasOwnOrder = ({ collectionId, search }: LibraryView) => collectionId !== undefined && !search

/** The order that is shown; undefined when a search shows its best matches first. */
export function shownSort(view: LibraryView): Sort | undefined {
  const { sort } = view
  if (sort && (sort !== 'manual' || hasOwnOrder(view))) return sort
  return view.search ? undefined : 'recent'
}

/** The direction in which an order is usually read: the newest and the largest first, and names from A. */
const usualDirection = (sort: Sort): Direction =>
  sort === 'recent' || sort === 'taken' || sort === 'size' ? 'desc' : 'asc'

/** The direction that is shown; undefined where there is only one. */
export function shownDirection(view: LibraryView): Direction | undefined {
  const sort = shownSort(view)
  return sort === undefined || sort === 'manual' ? undefined : (view.direction ?? usualDirection(sort))
}

/** The usual direction is stored as absent. */
export function turnTo(view: LibraryView, direction: Direction): Partial<LibraryView> {
  const sort = shownSort(view)
  return { direction: sort && usualDirection(sort) === direction ? undefined : direction }
}

/** The default order is stored as absent, so that a later search starts with its best matches. */
export const sortBy = ({ search }: LibraryView, sort: Sort | undefined): Partial<LibraryView> => ({
  sort: sort === 'recent' && !search ? undefined : sort,
})

/** Opens a filter or collection at its first page; the search, order and layout are kept. */
export function openList(list: { filter: LibraryFilter } | { collectionId: number }): Partial<LibraryView> {
  const elsewhere = {
    filter: 'all' as const,
    collectionId: undefined,
    similarToId: undefined,
    example: undefined,
    itemId: undefined,
  }
  return { ...elsewhere, page: 1, tab: 'media', ...list }
}

/** Opens a collection without the current search, for links outside the list. */
export const openUnfiltered = (collectionId: number) => ({ ...openList({ collectionId }), search: '' })

/** The part of a change that the user wants to keep for other lists and devices. */
export function rememberedIn(change: Partial<LibraryView>, view: LibraryView): Preferences {
  const isUsualOrder = ('sort' in change || 'direction' in change) && !view.search && view.sort !== 'manual'
  const order = [view.sort ?? 'recent', view.direction].filter(Boolean).join(' ')
  return {
    ...(change.layout && { layout: change.layout }),
    ...(change.pageSize && { pageSize: change.pageSize }),
    ...(isUsualOrder && { sort: order }),
  }
}

export const pageQuery = (view: LibraryView) => (isOfSimilar(view) ? similarQuery(view) : listQuery(view))

const similarQuery = ({ similarToId, example, pageSize }: LibraryView) => ({ similarToId, example, limit: pageSize })

const listQuery = (view: LibraryView) => ({
  page: view.page,
  limit: view.pageSize,
  sort: view.sort,
  // The best matches have no direction.
  direction: shownSort(view) && view.direction,
  ...filterQuery(view),
})

/** The part of the query that is the same for every page of the list. */
export function filterQuery({ filter, collectionId, search }: LibraryView) {
  return {
    search: search || undefined,
    collectionId,
    type: filter === 'images' ? ('image' as const) : filter === 'videos' ? ('video' as const) : undefined,
    favorite: filter === 'favorites' ? ('true' as const) : undefined,
    trashed: filter === 'trash' ? ('true' as const) : undefined,
  }
}

function oneOf<const Value extends string>(values: readonly Value[], given: string | null): Value | undefined {
  return values.find((value) => value === given)
}

function wholeNumber(given: string | null): number | undefined {
  const value = Number(given ?? '')
  return Number.isSafeInteger(value) && value >= 1 ? value : undefined
}
