import { filterQuery, type LibraryView } from '#features/media/library-view.ts'

/** The list's filter as a JSON body, which uses booleans where the query string uses "true". */
export function filterOf(view: LibraryView) {
  const { favorite, trashed, ...filter } = filterQuery(view)
  return { ...filter, favorite: favorite && true, trashed: trashed && true }
}
