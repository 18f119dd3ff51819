import { Select } from '#ui/forms/select.tsx'
import { Pagination } from '#ui/pagination.tsx'
import type { LibraryView, PageSize } from '../library-view.ts'
import { pageSizes } from '../limits.ts'
import type { SetLibraryView } from './use-library-view.ts'

type LibraryPaginationProps = { view: LibraryView; onViewChange: SetLibraryView; pageCount: number }

export function LibraryPagination({ view, onViewChange, pageCount }: LibraryPaginationProps) {
  return (
    <Pagination
      page={view.page}
      pageCount={pageCount}
      onPageChange={(page) => onViewChange({ page })}
      trailing={
        <Select
          label="Items per page"
          variant="button"
          size="sm"
          value={String(view.pageSize)}
          options={pageSizes.map((size) => ({ value: String(size), label: `${size} per page` }))}
          onValueChange={(size) => onViewChange({ pageSize: Number(size) as PageSize })}
        />
      }
      className="border-line border-t pt-4"
    />
  )
}
