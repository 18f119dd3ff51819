import type { MediaQuery } from '../../contract.ts'
import type { ListedRow } from '../to-media.ts'
import type { Matches } from './search.ts'

/** Ids of the owner's items whose words mean nearly the same as the search, the nearest first. */
export type FindNear = (ownerId: number, search: string) => Promise<number[]>

/** Near ones stand on the first page where matches leave room; in a collection, the trash or another order only words count. */
export const hasRoomForNear = ({ total }: Matches, query: MediaQuery) =>
  query.page === 1 &&
  total < query.limit &&
  (query.sort ?? 'recent') === 'recent' &&
  !query.collectionId &&
  !query.trashed

/** An id may be old: the item can be gone, in the trash, or of another type than is shown. */
export function keepNear(near: ListedRow[], { type, favorite }: MediaQuery): ListedRow[] {
  return near.filter(
    (row) => row.is_trashed === 0 && (!type || row.type === type) && (!favorite || row.is_favorite === 1),
  )
}
