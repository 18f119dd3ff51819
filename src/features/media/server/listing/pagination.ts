import type { Pagination } from '../../contract.ts'

/** Where a page stands in its list; `isTotalCapped` when there are more than were counted. */
export function paginationOf(
  { page, limit }: { page: number; limit: number },
  totalCount: number,
  isTotalCapped = false,
): Pagination {
  const totalPages = Math.max(1, Math.ceil(totalCount / limit))
  return {
    currentPage: page,
    totalPages,
    totalCount,
    isTotalCapped,
    hasPrevPage: page > 1,
    hasNextPage: page < totalPages,
  }
}
