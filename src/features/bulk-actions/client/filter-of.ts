import { filterQuery, type LibraryView } from '#features/media/library-view.ts'

/** What a list shows, as a body: it says yes where an address says "true". */
export function filterOf(view: LibraryView) {
  const { favorite, trashed, ...filter } = filterQuery(view)
  return { ...filter, favorite: favorite && true, trashed: trashed && true }
}
